type Part = { readonly type: string } & Readonly<Record<string, unknown>>

/**
 * The text of a stream of the AI SDK, as a person reads it. Text before a tool call and text after it are two
 * paragraphs. The SDK only notes in the stream that it failed or was stopped; here that is thrown.
 */
export async function* replyText(stream: AsyncIterable<unknown>): AsyncGenerator<string> {
  let hasText = false
  let isApart = false
  for await (const part of stream as AsyncIterable<Part>) {
    switch (part.type) {
      case 'text-delta': {
        const text = String(part['text'] ?? '')
        if (text === '') break
        if (isApart) yield '\n\n'
        isApart = false
        hasText = true
        yield text
        break
      }
      case 'tool-call':
        isApart = hasText
        break
      case 'error':
        throw part['error']
      case 'abort':
        throw abortError(part['reason'])
    }
  }
}

function abortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('The reply was stopped.', 'AbortError')
}
