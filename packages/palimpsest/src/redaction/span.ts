import type { Steps } from './steps.ts'

/**
 * The kind of a secret. It is shown in the secret's place, so a reader of the log must understand the words.
 */
export type SecretKind = 'API key' | 'token' | 'secret' | 'private key' | 'password' | 'card number'

/** Where a secret stands: UTF-16 units from `start` up to `end`, without `end`. */
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
 * Spans are grouped by the part of the text in which they begin. So a million spans are never sorted in one
 * go.
 */
const PART_BITS = 14

export class Spans {
  readonly #parts: Span[][] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  push(span: Span): void {
    this.#count++
    const part = span.start >>> PART_BITS
    const spans = this.#parts[part]
    if (spans) spans.push(span)
    else this.#parts[part] = [span]
  }

  *moved(move: (span: Span) => Span): Steps<Spans> {
    const spans = new Spans()
    for (const part of this.#parts) {
      for (const span of part ?? []) spans.push(move(span))
      yield
    }
    return spans
  }

  /**
   * The text with a marker in the place of each span. Spans that overlap become one, so that nothing of a
   * secret stays between them. The first of them gives the kind.
   */
  *replaceIn(text: string): Steps<string> {
    const pieces: string[] = []
    let [copied, start, end] = [0, 0, -1]
    let kind: SecretKind = 'secret'
    for (const part of this.#parts) {
      if (part === undefined) continue
      const written: string[] = []
      for (const span of part.sort((a, b) => a.start - b.start || b.end - a.end)) {
        if (span.start < end) {
          end = Math.max(end, span.end)
          continue
        }
        if (end !== -1) {
          written.push(text.slice(copied, start), marker(kind))
          copied = end
        }
        ;({ start, end, kind } = span)
      }
      pieces.push(written.join(''))
      yield
    }
    if (end !== -1) {
      pieces.push(text.slice(copied, start), marker(kind))
      copied = end
    }
    pieces.push(text.slice(copied))
    return pieces.join('')
  }
}
