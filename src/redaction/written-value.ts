import { isBlank, isLineEnd } from './characters.ts'
import { MARKER_START } from './span.ts'

/** A value as it stands in a text, without its quotes. */
export interface Value {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
}
/** No secret that a name tells is longer. */
const LONGEST_QUOTED = 4_200

/** Reads values out of one text, never past the end of a line. */
export class ValueReader {
  readonly #text: string
  /** The word without quotes that was read last: whoever begins inside of it ends where it does. */
  #bare = { start: 0, end: 0 }

  constructor(text: string) {
    this.#text = text
  }

  /** `null`: there is none before the end of the line. In a query `&` ends it. */
  read(from: number, { isQuery = false } = {}): Value | null {
    const text = this.#text
    let start = from
    while (isBeforeValue(text, start)) start++
    const slashes = start
    while (text[start] === '\\') start++
    const closing = QUOTES[text[start] ?? '']
    if (closing !== undefined) {
      const end = endOfQuoted(text, start + 1, { closing, isEscaped: start > slashes })
      if (end !== null) return { start: start + 1, end, isQuoted: true }
      start++
    }
    const end = this.endOfBare(start, isQuery)
    return end > start ? { start, end, isQuoted: false } : null
  }

  /** As far as the word goes, without what ends a sentence or a bracket. */
  endOfBare(from: number, isQuery = false): number {
    const text = this.#text
    let end = this.#endOfWord(from)
    if (isQuery) end = Math.min(end, endOfQueryValue(text, from, end))
    while (end > from && isTrailing(text.charCodeAt(end - 1))) end--
    return end
  }

  #endOfWord(from: number): number {
    const text = this.#text
    const { start, end: known } = this.#bare
    if (from >= start && from < known) return known
    let end = from
    while (isBare(text.charCodeAt(end)) && !isEndOfWord(text, end)) end++
    this.#bare = { start: from, end }
    return end
  }
}

const ENTITY = /&(?:quot|apos|amp|lt|gt|nbsp|#\d{1,5});/y

/** One of our markers, or a quote and the like as HTML has them. */
function isEndOfWord(text: string, at: number): boolean {
  if (text[at] === '[') return text.startsWith(MARKER_START, at)
  if (text[at] !== '&') return false
  ENTITY.lastIndex = at
  return ENTITY.test(text)
}

/** Blanks, the rest of `:=` and `=>`, and what emphasises. */
function isBeforeValue(text: string, at: number): boolean {
  return isBlank(text.charCodeAt(at)) || /[=>:：＝*]/.test(text[at] ?? '')
}

function endOfQuoted(
  text: string,
  from: number,
  { closing, isEscaped }: { closing: string; isEscaped: boolean },
): number | null {
  const limit = Math.min(text.length, from + LONGEST_QUOTED)
  for (let end = from; end < limit; end++) {
    if (isLineEnd(text.charCodeAt(end))) return null
    if (text[end] === closing) return end
    if (text[end] !== '\\') continue
    // In a string inside of a string the closing quote is escaped, too.
    if (isEscaped && startsWithEscaped(text, end, closing)) return end
    end++
  }
  return null
}

function startsWithEscaped(text: string, at: number, closing: string): boolean {
  let end = at
  while (end - at < 8 && text[end] === '\\') end++
  return text[end] === closing
}

/** Printable ASCII but quotes, `,`, `;`, `<` and `>`; letters and digits of full width. */
const BARE = Uint8Array.from({ length: 128 }, (_, code) =>
  code > 32 && code < 127 && !'"\'`,;<>'.includes(String.fromCharCode(code)) ? 1 : 0,
)

function isBare(code: number): boolean {
  if (code < 128) return BARE[code] === 1
  return (
    (code >= 0xff10 && code <= 0xff19) ||
    (code >= 0xff21 && code <= 0xff3a) ||
    (code >= 0xff41 && code <= 0xff5a)
  )
}

const TRAILING = new Set(Array.from('.:)]}*|\\', character => character.charCodeAt(0)))

function isTrailing(code: number): boolean {
  return TRAILING.has(code)
}

function endOfQueryValue(text: string, from: number, to: number): number {
  let end = from
  while (end < to && text[end] !== '&' && text[end] !== '#') end++
  return end
}
