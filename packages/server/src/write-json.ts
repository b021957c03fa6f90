import { randomUUID } from 'node:crypto'
import type { InSteps } from 'palimpsest/internals/slices'

/** Texts longer than this are written separately, piece by piece. */
const MAX_TEXT_AT_ONCE = 4_096
const PIECE = 65_536

/** Whether all texts in a JSON value together have more characters than this. */
export function isLongJson(value: unknown, characters: number): boolean {
  let left = characters
  const count = (each: unknown): boolean => {
    if (typeof each === 'string') left -= each.length
    else if (typeof each === 'object' && each !== null)
      for (const inner of Object.values(each)) if (count(inner)) return true
    return left < 0
  }
  return count(value)
}

/** The bytes of what `JSON.stringify` gives, in parts, in steps that pause by themselves. */
export function* writeJsonInSteps(value: unknown): InSteps<readonly Uint8Array[]> {
  const texts: string[] = []
  const mark = randomUUID()
  const frame = JSON.stringify(value, (_, each) =>
    typeof each === 'string' && each.length > MAX_TEXT_AT_ONCE ? `${mark}${texts.push(each) - 1}` : each,
  )
  const parts: Uint8Array[] = []
  for (const [place, part] of frame.split(new RegExp(`"${mark}(\\d+)"`)).entries()) {
    // Every second part is the number of a text.
    if (place % 2 === 0) parts.push(Buffer.from(part))
    else yield* writeText(texts[Number(part)]!, parts)
    yield
  }
  return parts
}

function* writeText(text: string, parts: Uint8Array[]): InSteps<void> {
  const quote = Buffer.from('"')
  parts.push(quote)
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from)
    parts.push(Buffer.from(JSON.stringify(text.slice(from, end)).slice(1, -1)))
    from = end
    yield
  }
  parts.push(quote)
}

/** The two halves of a surrogate pair stay together: each alone would be written as an escape. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(text.length, from + PIECE)
  const isParted = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!)
  return isParted ? end + 1 : end
}
