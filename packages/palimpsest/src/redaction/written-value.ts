import { isLineBreak } from '../log/index.ts'
import { isBlank } from './characters.ts'
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
/** No secret with a name is longer. */
const MAX_QUOTED = 4_200

/**
 * A longer value costs more to judge. Of such values that end at one place, only `MAX_LONG_VALUES` are
 * judged.
 */
const LONG_VALUE = 256
const MAX_LONG_VALUES = 8

/** A longer run of characters is no value, and its end is not looked for. */
const MAX_READ = 10_000

interface Stretch {
  readonly start: number
  readonly end: number
  /** The stretch really ends here. `false`: only the reading stopped. */
  readonly isWhole: boolean
}

const NOTHING: Stretch = { start: 0, end: 0, isWhole: true }

/** The stretch around `from`, up to its end or to the limit of reading. Nothing is read twice. */
function stretchFrom(known: Stretch, from: number, isInside: (at: number) => boolean): Stretch {
  const isKnown = from >= known.start && from < known.end
  if (isKnown && known.isWhole) return known
  const limit = from + MAX_READ
  let end = isKnown ? known.end : from
  while (end < limit && isInside(end)) end++
  return { start: isKnown ? known.start : from, end, isWhole: end < limit }
}

/** Reads values from one text, never past the end of a line. It does not read the same characters twice. */
export class ValueReader {
  readonly #text: string
  /** The last unquoted word. A value that begins inside it ends where it ends. */
  #bare: Stretch = NOTHING
  /** The last value in a query, for the same use. */
  #query: Stretch = NOTHING
  /** For each quote a stretch in which it does not close. */
  readonly #open = new Map<string, { readonly start: number; readonly end: number }>()
  #long = { end: -1, count: 0 }

  constructor(text: string) {
    this.#text = text
  }

  /** Whether the value should be judged. A word that holds hundreds of names holds no secret. */
  isWorthIt({ start, end }: Value): boolean {
    if (end - start <= LONG_VALUE) return true
    this.#long = { end, count: this.#long.end === end ? this.#long.count + 1 : 1 }
    return this.#long.count <= MAX_LONG_VALUES
  }

  /** `null`: there is no value before the end of the line. In a query, `&` ends a value. */
  read(from: number, { isQuery = false } = {}): Value | null {
    const text = this.#text
    const limit = from + MAX_READ
    let start = from
    while (start < limit && isBeforeValue(text, start)) start++
    const slashes = start
    while (start < limit && text[start] === '\\') start++
    if (start === limit) return null
    const closing = QUOTES[text[start] ?? '']
    if (closing !== undefined) {
      const end = this.#endOfQuoted(start + 1, { closing, isEscaped: start > slashes })
      if (end !== null) return { start: start + 1, end, isQuoted: true }
      start++
    }
    const end = this.endOfBare(start, isQuery)
    return end > start ? { start, end, isQuoted: false } : null
  }

  /** The end of the word, without the end of a sentence or a bracket. */
  endOfBare(from: number, isQuery = false): number {
    const text = this.#text
    let { end } = isQuery ? this.#readQuery(from) : this.#readBare(from)
    const least = Math.max(from, end - MAX_TRAILING)
    while (end > least && isTrailing(text.charCodeAt(end - 1))) end--
    return end
  }

  #readBare(from: number): Stretch {
    this.#bare = stretchFrom(this.#bare, from, at => this.#isOfWord(at))
    return this.#bare
  }

  #readQuery(from: number): Stretch {
    this.#query = stretchFrom(this.#query, from, at => !/[&#]/.test(this.#text[at]!) && this.#isOfWord(at))
    return this.#query
  }

  #isOfWord(at: number): boolean {
    return isBare(this.#text.charCodeAt(at)) && !isEndOfWord(this.#text, at)
  }

  #endOfQuoted(from: number, { closing, isEscaped }: { closing: string; isEscaped: boolean }): number | null {
    const text = this.#text
    const limit = Math.min(text.length, from + MAX_QUOTED)
    const open = this.#open.get(closing)
    let at = from
    if (open !== undefined && from >= open.start && from < open.end) {
      at = open.end
      if (isEscapedAt(text, at)) at++
    }
    for (; at < limit && !isLineBreak(text.charCodeAt(at)); at++) {
      if (text[at] === closing) return at
      if (text[at] !== '\\') continue
      // In a string inside a string, the closing quote is escaped too.
      if (isEscaped && startsWithEscaped(text, at, closing)) return at
      at++
    }
    const isJoined = open !== undefined && from >= open.start && from <= open.end
    this.#open.set(closing, { start: isJoined ? open.start : from, end: Math.max(from, at) })
    return null
  }
}

/** A longer row of these characters does not end a sentence. */
const MAX_TRAILING = 16

function isEscapedAt(text: string, at: number): boolean {
  let slashes = 0
  while (slashes < 64 && text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

const ENTITY = /&(?:quot|apos|amp|lt|gt|nbsp|#\d{1,5});/y

/** One of our markers, or an HTML entity such as a quote. */
function isEndOfWord(text: string, at: number): boolean {
  if (text[at] === '[') return text.startsWith(MARKER_START, at)
  if (text[at] !== '&') return false
  ENTITY.lastIndex = at
  return ENTITY.test(text)
}

const BEFORE_VALUE = new Set(Array.from('=>:：＝*', character => character.charCodeAt(0)))

/** Blanks, the rest of `:=` and `=>`, and marks of emphasis. */
function isBeforeValue(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return isBlank(code) || BEFORE_VALUE.has(code)
}

function startsWithEscaped(text: string, at: number, closing: string): boolean {
  let end = at
  while (end - at < 8 && text[end] === '\\') end++
  return text[end] === closing
}

/** Printable ASCII without quotes, `,`, `;`, `<` and `>`. Letters and digits of full width count too. */
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
