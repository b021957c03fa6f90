import { loadModel, type SettingValues } from '../../config/index.ts'
import { splitModelName } from '../../config/model-name.ts'
import { MissingPeerError } from '../../errors.ts'
import type { Session } from '../../session.ts'
import type { Turn, TurnOptions } from '../../turn/index.ts'
import type { Answering, Piece } from './answering.ts'
import { callMiddleware } from './call-middleware.ts'
import { callSettings, providerOptionsOf } from './call-settings.ts'
import { modelFailure, stopped } from './model-failure.ts'
import { type StreamPart, StreamReader } from './read-stream.ts'
import type { ChatRequest } from './request.ts'

export interface ModelCall {
  readonly body: ChatRequest
  readonly values: SettingValues & { readonly model: string }
  readonly turnOptions: Pick<TurnOptions, 'instructions' | 'query' | 'reasoning' | 'budget' | 'outputReserve'>
  readonly signal: AbortSignal
}

/** The configured model answers what the session ends with. Nothing is sent before the first piece is asked for. */
export async function modelAnswer(session: Session, call: ModelCall): Promise<Answering> {
  const sdk = await import('ai').catch(cause => {
    throw new MissingPeerError('ai', 'A language model', cause)
  })
  const { body, values, turnOptions } = call
  const model = await loadModel(values.model, values)
  const turn = await session.turn({
    ...turnOptions,
    model,
    memoryTools: false,
    // The client runs the tools: each call of the model is a request of its own.
    maxSteps: 1,
    ...(body.tools && { tools: toolSet(body.tools, sdk.jsonSchema) }),
  })
  const stopper = new AbortController()
  const abortSignal = AbortSignal.any([call.signal, stopper.signal])
  const settings: object = {
    ...turn.prompt,
    ...callSettings(body),
    model: sdk.wrapLanguageModel({ model: model as never, middleware: callMiddleware(body, values.model) }),
    providerOptions: providerOptionsOf(body, values.model),
    abortSignal,
    // Nobody makes this server fetch an address: the provider is given it.
    experimental_download: async (links: readonly unknown[]) => links.map(() => null),
    // Clients try again by themselves.
    maxRetries: 0,
    // It is told to whoever reads the pieces.
    onError: () => {},
  }
  const start = () => sdk.streamText(settings as Parameters<typeof sdk.streamText>[0])
  const stop = () => stopper.abort()
  return {
    sessionId: session.id,
    seq: turn.seq,
    model: splitModelName(values.model).name,
    pieces: answerPieces(turn, { start, stop, values }),
    stop,
  }
}

interface Streamed {
  readonly stream: AsyncIterable<unknown>
  readonly steps: PromiseLike<readonly unknown[]>
  readonly responseMessages: PromiseLike<readonly unknown[]>
}

async function* answerPieces(
  turn: Turn,
  { start, stop, values }: { start: () => Streamed; stop: () => void; values: ModelCall['values'] },
): AsyncGenerator<Piece, void> {
  const result = start()
  const reader = new StreamReader()
  let isLeft = true
  let broken: unknown
  try {
    for await (const part of result.stream) yield* reader.take(part as StreamPart)
    isLeft = false
  } catch (error) {
    isLeft = false
    broken = error
  } finally {
    if (isLeft) {
      stop()
      await turn.finish(forTheLog(result, reader))
    }
  }
  const { status, error = broken } = await turn.finish(forTheLog(result, reader))
  if (status === 'aborted') throw stopped()
  if (status === 'failed' || broken !== undefined) throw modelFailure(error, values.model, values.modelApiKey)
  yield reader.end(turn.context.estimatedInputTokens)
}

/**
 * The SDK answers calls that it cannot read itself; here every call is for the client to answer, and its arguments
 * are kept as the model wrote them. Looked at only where asked for: the SDK's promises reject where nobody awaits them.
 */
function forTheLog(result: Streamed, reader: StreamReader) {
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
  for await (const part of stream) if ((part as StreamPart).type !== 'tool-error') yield part
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

/** Without a way to run them, so that their calls end the answer. */
function toolSet(
  tools: NonNullable<ChatRequest['tools']>,
  jsonSchema: typeof import('ai').jsonSchema,
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    tools.map(({ function: { name, description, parameters, strict } }) => [
      name,
      {
        ...(description != null && { description }),
        ...(strict != null && { strict }),
        inputSchema: jsonSchema(parameters ?? { type: 'object', properties: {} }),
      },
    ]),
  )
}
