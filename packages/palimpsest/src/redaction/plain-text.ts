import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/**
 * Marks that do not show, and letters of full width, may stand in a key: copied from a page, or put there. Secrets
 * are looked for in the text without them, and found in the text as it is.
 */
export interface PlainText {
  readonly text: string
  /** The same places in the text as it came. */
  readonly placesOf: (spans: Spans) => Steps<Spans>
}

/** Soft hyphen, joiners, marks of direction, word joiners, variation selectors, the mark of a byte order. */
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

/** Those of full width that keys hold beside letters and digits. The comma, colon and full stop stay Chinese. */
const WIDE_SIGNS = new Set(Array.from('＿－．＝＋／＠＃', sign => sign.charCodeAt(0)))

const WIDE_TO_NARROW = 0xfee0

function isPlain(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (isUnplain(text.charCodeAt(index))) return false
  return true
}

/** Most text has neither. */
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

/** Where, in the plain text, something is missing. Kept in parts, since a list of millions grows by copies of itself. */
class Gaps {
  readonly #parts: { readonly places: number[]; readonly missing: number[] }[] = []

  /** `missing`: how much, up to and with this place. Places come in order. */
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

  /** How much is missing before a place, or up to and with it. */
  missingAt(place: number, isWith: boolean): number {
    const isBefore = (gap: number) => (isWith ? gap <= place : gap < place)
    const parts = countBefore(this.#parts.length, index => isBefore(this.#parts[index]!.places[0]!))
    if (parts === 0) return 0
    const { places, missing } = this.#parts[parts - 1]!
    return missing[countBefore(places.length, index => isBefore(places[index]!)) - 1]!
  }
}

/** Of a list whose first ones are before, how many are. */
function countBefore(length: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
