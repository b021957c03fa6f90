/** Tells by UTF-16 unit which characters secrets consist of. */

const LOWER = 1
const UPPER = 2
const DIGIT = 4
const JOINT = 8

const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return DIGIT
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 97 && code <= 122) return LOWER
  return code === 45 || code === 95 ? JOINT : 0
})

function classOf(code: number): number {
  return code < 128 ? CLASSES[code]! : 0
}

/** A letter or digit of ASCII. `NaN`, the code beyond the end of a text, is neither. */
export function isAlphanumeric(code: number): boolean {
  return (classOf(code) & (LOWER | UPPER | DIGIT)) !== 0
}

/** A letter or digit of ASCII, `_` or `-`: keys consist of these. */
export function isKeyCharacter(code: number): boolean {
  return classOf(code) > 0
}

export function isDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 0xff10 && code <= 0xff19)
}

/** Space, tab, no-break space and ideographic space: these may stand between two words of a line. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 0xa0 || code === 0x3000
}

/** The characters that a text consists of, counted by kind. */
export interface Makeup {
  readonly lower: number
  readonly upper: number
  readonly digits: number
  /** `_` and `-`. */
  readonly joints: number
  /** Printable ASCII of no other kind. */
  readonly symbols: number
  /** All other characters. */
  readonly others: number
  /** How many different letters, digits and joints there are. */
  readonly distinct: number
}

export function makeupOf(text: string): Makeup {
  let [lower, upper, digits, joints, symbols, others] = [0, 0, 0, 0, 0, 0]
  const seen = [0, 0, 0, 0]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = classOf(code)
    if (kind !== 0) seen[code >>> 5]! |= 1 << (code & 31)
    if (kind === LOWER) lower++
    else if (kind === UPPER) upper++
    else if (kind === DIGIT || isDigit(code)) digits++
    else if (kind === JOINT) joints++
    else if (code > 32 && code < 127) symbols++
    else others++
  }
  return {
    lower,
    upper,
    digits,
    joints,
    symbols,
    others,
    distinct: seen.reduce((sum, bits) => sum + bitsIn(bits), 0),
  }
}

function bitsIn(word: number): number {
  let count = 0
  for (let bits = word; bits !== 0; bits &= bits - 1) count++
  return count
}

/** No word has `LONG_STRETCH` characters in one stretch, and no word has `LONG_CAPITALS` capitals. */
const LONG_STRETCH = 32
const LONG_CAPITALS = 16
const MIN_STRETCH = 8

/**
 * Whether the text looks random and not written by a person. It has a stretch without joints that mixes
 * digits and letters, or that is longer than any word. `your-api-key-here` and `xxxxxxxx` are not random.
 */
export function isRandom(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some(isRandomStretch)
}

function isRandomStretch(stretch: string): boolean {
  if (stretch.length < MIN_STRETCH) return false
  const { lower, upper, digits, distinct } = makeupOf(stretch)
  if (distinct < Math.min(8, stretch.length * 0.6)) return false
  if (digits > 0 && lower + upper > 0) return true
  return stretch.length >= LONG_STRETCH || upper >= LONG_CAPITALS
}
