import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/**
 * Marks that nobody sees, and letters of full width, may stand in a key: copied from a page, or put there. Secrets
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
  /** Where, in the plain text, something is missing, and how much is missing up to there. */
  const gaps: number[] = []
  const missing: number[] = []
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
        const place = index + 1 - left
        if (gaps.at(-1) === place) missing[missing.length - 1] = left
        else {
          gaps.push(place)
          missing.push(left)
        }
        continue
      }
      codes[length++] = isWideAlphanumeric(code) || WIDE_SIGNS.has(code) ? code - WIDE_TO_NARROW : code
    }
    pieces.push(Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'))
  }
  /** How much is missing before a place, or up to and with it. */
  const missingAt = (place: number, isWith: boolean) => {
    let [low, high] = [0, gaps.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isWith ? gaps[middle]! <= place : gaps[middle]! < place) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : missing[low - 1]!
  }
  return {
    text: pieces.join(''),
    *placesOf(spans) {
      if (gaps.length === 0) return spans
      return yield* spans.moved(({ start, end, kind }) => ({
        start: start + missingAt(start, true),
        end: end + missingAt(end, false),
        kind,
      }))
    },
  }
}
