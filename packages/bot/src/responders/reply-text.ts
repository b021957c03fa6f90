type Part = { readonly type: string } & Readonly<Record<string, unknown>>

/**
 * The text of a stream of the AI SDK as a person reads it: what was said before a tool was called and what was said
 * after it are two paragraphs. What the SDK only notes in its stream is thrown: that it broke, or was stopped.
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
