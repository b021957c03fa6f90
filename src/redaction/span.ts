/** What a secret was. Shown in its place, so in words that a reader of the log understands. */
export type SecretKind = 'API key' | 'token' | 'secret' | 'private key' | 'password' | 'card number'

/** Where a secret stands: UTF-16 units from `start` up to but not including `end`. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SecretKind
}

export const MARKER_START = '[redacted: '

export function marker(kind: SecretKind): string {
  return `${MARKER_START}${kind}]`
}

/**
 * The text with a marker in the place of each span. Spans that overlap become one, so that nothing of a secret
 * is left between two of them; the first says what it was.
 */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  const inOrder = [...spans].sort((a, b) => a.start - b.start || b.end - a.end)
  let result = ''
  let copied = 0
  for (let index = 0; index < inOrder.length; ) {
    const { start, kind } = inOrder[index]!
    let { end } = inOrder[index]!
    while (++index < inOrder.length && inOrder[index]!.start < end) end = Math.max(end, inOrder[index]!.end)
    result += text.slice(copied, start) + marker(kind)
    copied = end
  }
  return result + text.slice(copied)
}
