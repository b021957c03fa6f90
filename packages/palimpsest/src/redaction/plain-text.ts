import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/**
 * Invisible marks and letters of full width may stand in a key: copied from a page, or put there on purpose.
 * The text without them is searched, and each secret is then placed in the original text.
 */
export interface PlainText {
  readonly text: string
  /** The same places in the original text. */
  readonly placesOf: (spans: Spans) => Steps<Spans>
}

/** Soft hyphen, joiners, direction marks, word joiners, variation selectors and the byte order mark. */
export function isUnseen(code: number): boolean {
  if (code < 0x200b) return code === 0xad || code === 0x34f || code === 0x61c || code === 0x180e
  return (
    code <= 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0xfeff
  )
}

export function isWideAlphanumeric(code: number): boolean {
  return (
    (code >= 0xff10 && code <= 0xff19) ||
    (code >= 0xff21 && code <= 0xff3a) ||
    (code >= 0xff41 && code <= 0xff5a)
  )
}

/**
 * Signs of full width in keys, beside letters and digits. The comma, colon and full stop are not among them:
 * they are Chinese punctuation.
 */
const WIDE_SIGNS = new Set(Array.from('＿－．＝＋／＠＃', sign => sign.charCodeAt(0)))

const WIDE_TO_NARROW = 0xfee0

function isPlain(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (isUnplain(text.charCodeAt(index))) return false
  return true
}

/** Most text has no such character. */
function isUnplain(code: number): boolean {
  return code >= 0xad && (isUnseen(code) || isWideAlphanumeric(code) || WIDE_SIGNS.has(code))
}

export function* toPlainText(text: string): Steps<PlainText> {
  const pieces: string[] = []
  const gaps = new Gaps()
  let left = 0
  for (let from = 0; from < text.length; from += STEP) {
    const to = Math.min(text.length, from + STEP)
    yield
    if (isPlain(text, from, to)) {
      pieces.push(text.slice(from, to))
      continue
    }
    const codes = new Uint16Array(to - from)
    let length = 0
    for (let index = from; index < to; index++) {
      const code = text.charCodeAt(index)
      if (isUnseen(code)) {
        left++
        gaps.add(index + 1 - left, left)
        continue
      }
      codes[length++] = isWideAlphanumeric(code) || WIDE_SIGNS.has(code) ? code - WIDE_TO_NARROW : code
    }
    pieces.push(Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'))
  }
  return {
    text: pieces.join(''),
    *placesOf(spans) {
      if (left === 0) return spans
      return yield* spans.moved(({ start, end, kind }) => ({
        start: start + gaps.missingAt(start, true),
        end: end + gaps.missingAt(end, false),
        kind,
      }))
    },
  }
}

/**
 * The places in the plain text where characters are missing. They are kept in parts, since one list of
 * millions would copy itself as it grows.
 */
class Gaps {
  readonly #parts: { readonly places: number[]; readonly missing: number[] }[] = []

  /**
   * `missing`: how many characters are missing up to this place, this place included. Places come in order.
   */
  add(place: number, missing: number): void {
    const last = this.#parts.at(-1)
    if (last !== undefined && last.places.at(-1) === place) {
      last.missing[last.missing.length - 1] = missing
      return
    }
    const part = last !== undefined && last.places.length < STEP ? last : { places: [], missing: [] }
    if (part !== last) this.#parts.push(part)
    part.places.push(place)
    part.missing.push(missing)
  }

  /** How many characters are missing before a place, or up to it with the place included. */
  missingAt(place: number, isWith: boolean): number {
    const isBefore = (gap: number) => (isWith ? gap <= place : gap < place)
    const parts = countBefore(this.#parts.length, index => isBefore(this.#parts[index]!.places[0]!))
    if (parts === 0) return 0
    const { places, missing } = this.#parts[parts - 1]!
    return missing[countBefore(places.length, index => isBefore(places[index]!)) - 1]!
  }
}

/** How many of the first entries lie before; all of these stand at the start of the list. */
function countBefore(length: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
