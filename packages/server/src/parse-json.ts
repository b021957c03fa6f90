import type { InSteps } from 'palimpsest/internals/slices'

/** The text is not JSON, or exceeds a limit. */
export class JsonError extends Error {
  readonly limit: 'depth' | 'values' | null
  constructor(message: string, limit: 'depth' | 'values' | null = null) {
    super(message)
    this.limit = limit
  }
}

export interface JsonLimits {
  readonly maxDepth: number
  /** Each text, number, list, object and other value counts as one. */
  readonly maxValues: number
}

const STEP_VALUES = 500
/** The most characters of one text that are read in one step. */
const PIECE = 65_536
const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Gives what `JSON.parse` gives, in steps that pause by themselves: a body of many megabytes would block
 * everything else. A text that is nested too deeply or holds too many values is refused at the point where it
 * exceeds the limit, before it costs more time and memory.
 */
export function* parseJsonInSteps(text: string, limits: JsonLimits): InSteps<unknown> {
  const reader = new Reader(text, limits)
  while (!reader.isDone) {
    reader.readSome(STEP_VALUES)
    yield
  }
  return reader.result
}

/** A list or an object that is not closed yet. */
type Open =
  | { readonly list: unknown[] }
  | { readonly list?: undefined; readonly fields: Record<string, unknown>; name: string }

const WHITE_SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS = { t: ['true', true], f: ['false', false], n: ['null', null] } as const

interface BegunText {
  /** The position at which the text begins. */
  readonly position: number
  text: string
  readonly then: (text: string) => void
}

class Reader {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #open: Open[] = []
  #place = 0
  #values = 0
  #result: unknown
  /** A long text that is only partly read. */
  #begun: BegunText | null = null
  isDone = false

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = limits
  }

  get result(): unknown {
    return this.#result
  }

  /** Reads this many values, or one piece of a long text. */
  readSome(values: number): void {
    if (this.#begun !== null) this.#readPiece(this.#begun)
    else for (let left = values; left > 0 && !this.isDone && this.#begun === null; left--) this.#readValue()
  }

  /**
   * Reads one value, or the start of a list or an object. Also closes everything that ends right after it.
   */
  #readValue(): void {
    this.#skipWhiteSpace()
    if (++this.#values > this.#limits.maxValues)
      throw new JsonError(`it holds more than ${this.#limits.maxValues} values`, 'values')
    const character = this.#text[this.#place]
    if (character === '[') this.#openList()
    else if (character === '{') this.#openObject()
    else if (character === '"') this.#readText(text => this.#put(text))
    else this.#put(this.#readPlain(character))
  }

  #openList(): void {
    this.#enter({ list: [] })
    if (this.#follows(']')) this.#close()
  }

  #openObject(): void {
    this.#enter({ fields: {}, name: '' })
    if (this.#follows('}')) this.#close()
    else this.#readName()
  }

  #enter(open: Open): void {
    this.#place += 1
    this.#open.push(open)
    if (this.#open.length > this.#limits.maxDepth)
      throw new JsonError(`it is nested deeper than ${this.#limits.maxDepth} levels`, 'depth')
  }

  #readName(): void {
    this.#skipWhiteSpace()
    if (this.#text[this.#place] !== '"') throw this.#unexpected()
    this.#readText(name => {
      if (!this.#follows(':')) throw this.#unexpected()
      const open = this.#open.at(-1)!
      if (open.list === undefined) open.name = name
    })
  }

  #close(): void {
    const closed = this.#open.pop()!
    this.#put(closed.list ?? closed.fields)
  }

  /** Puts a value into the open list or object, and closes what ends right after it. */
  #put(value: unknown): void {
    const open = this.#open.at(-1)
    if (open === undefined) {
      this.#skipWhiteSpace()
      if (this.#place < this.#text.length) throw this.#unexpected()
      this.#result = value
      this.isDone = true
      return
    }
    if (open.list !== undefined) open.list.push(value)
    else setField(open.fields, open.name, value)
    if (this.#follows(',')) {
      if (open.list === undefined) this.#readName()
    } else if (this.#follows(open.list === undefined ? '}' : ']')) this.#close()
    else throw this.#unexpected()
  }

  #readPlain(character: string | undefined): unknown {
    if (character === 't' || character === 'f' || character === 'n') {
      const [word, value] = WORDS[character]
      if (!this.#text.startsWith(word, this.#place)) throw this.#unexpected()
      this.#place += word.length
      return value
    }
    NUMBER.lastIndex = this.#place
    const number = NUMBER.exec(this.#text)?.[0]
    if (number === undefined) throw this.#unexpected()
    this.#place += number.length
    return Number(number)
  }

  /**
   * Reads a text, or the first piece of a long text; the rest is read piece by piece. The caller must do
   * nothing after this call, since `then` may come later.
   */
  #readText(then: (text: string) => void): void {
    const begun = { position: this.#place, text: '', then }
    this.#begun = begun
    this.#place += 1
    this.#readPiece(begun)
  }

  /** Only finds the end of the piece here. `JSON.parse` reads the content, escapes included. */
  #readPiece(begun: BegunText): void {
    const from = this.#place
    const stop = Math.min(from + PIECE, this.#text.length)
    let end = from
    for (
      let code = this.#text.charCodeAt(end);
      end < stop && code !== QUOTE;
      code = this.#text.charCodeAt(end)
    )
      end += code !== BACKSLASH ? 1 : this.#text[end + 1] === 'u' ? 6 : 2
    if (end >= this.#text.length) throw this.#unexpected(this.#text.length)
    begun.text += parsePiece(this.#text.slice(from, end), begun.position)
    this.#place = end
    if (this.#text.charCodeAt(end) !== QUOTE) return
    this.#place += 1
    this.#begun = null
    begun.then(begun.text)
  }

  /** Moves past a sign, if that is the next one. Tells whether it was. */
  #follows(sign: string): boolean {
    this.#skipWhiteSpace()
    if (this.#text[this.#place] !== sign) return false
    this.#place += 1
    return true
  }

  #skipWhiteSpace(): void {
    if (this.#text.charCodeAt(this.#place) > 0x20) return
    WHITE_SPACE.lastIndex = this.#place
    WHITE_SPACE.test(this.#text)
    this.#place = WHITE_SPACE.lastIndex
  }

  #unexpected(place = this.#place): JsonError {
    if (place >= this.#text.length) return new JsonError('it ends too early')
    return new JsonError(
      `unexpected ${JSON.stringify(String.fromCodePoint(this.#text.codePointAt(place)!))} at position ${place}`,
    )
  }
}

function parsePiece(piece: string, position: number): string {
  try {
    return JSON.parse(`"${piece}"`) as string
  } catch {
    throw new JsonError(`a text that begins at position ${position} is not written as JSON writes it`)
  }
}

/**
 * Sets a field. A plain assignment to `__proto__` would not add a field, but
 * change the prototype of the object.
 */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value
  else Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true })
}
