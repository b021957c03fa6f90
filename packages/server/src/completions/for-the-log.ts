import type { StreamPart, StreamReader } from './read-stream.ts'

/** The parts of `streamText`'s result that are used here. */
export interface Streamed {
  readonly stream: AsyncIterable<unknown>
  readonly steps: PromiseLike<readonly unknown[]>
  readonly responseMessages: PromiseLike<readonly unknown[]>
}

/**
 * Prepares the result for the log. The SDK itself answers calls that it cannot parse. Here the client answers
 * every call, so those answers are removed and the arguments stay as the model wrote them. The getters read
 * the SDK's promises only on demand: the SDK's promises reject, and no code may be awaiting them.
 */
export function forTheLog(result: Streamed, reader: StreamReader) {
  return {
    stream: withoutToolErrors(result.stream),
    get steps() {
      return result.steps
    },
    get responseMessages() {
      return result.responseMessages.then(messages =>
        messages.filter(message => roleOf(message) !== 'tool').map(message => asWritten(message, reader)),
      )
    },
  }
}

async function* withoutToolErrors(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const part of stream) {
    const { type, providerExecuted } = part as StreamPart
    if (type !== 'tool-error' || providerExecuted === true) yield part
  }
}

function roleOf(message: unknown): unknown {
  return (message as { readonly role?: unknown }).role
}

function asWritten(message: unknown, reader: StreamReader): unknown {
  const { content } = message as { readonly content: unknown }
  if (!Array.isArray(content)) return message
  return {
    ...(message as object),
    content: content.map((part: StreamPart) => {
      const written = part.type === 'tool-call' ? reader.argumentsOf(String(part['toolCallId'])) : undefined
      return written === undefined || isJson(written) ? part : { ...part, input: written }
    }),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
