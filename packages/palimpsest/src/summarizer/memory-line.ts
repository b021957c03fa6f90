import { oneLine } from '../log/index.ts'
import { clip } from './clip.ts'
import { isWorthKeeping } from './worth-keeping.ts'

const MAX_CHARACTERS = 300
/** The text behind this is cut off anyway, even if white space goes. */
const MAX_READ_CHARACTERS = 20 * MAX_CHARACTERS
const LIST_MARK = /^(?:[-*•]\s+)+/

/** The text as a line of a memory; `null`: it says nothing. */
export function memoryLine(text: string): string | null {
  const line = shortLine(text)
  return isWorthKeeping(line) ? line : null
}

/** On one line, without a list mark before it, and cut where it is too long. */
export function shortLine(text: string): string {
  return clip(oneLine(text.slice(0, MAX_READ_CHARACTERS)).replace(LIST_MARK, ''), MAX_CHARACTERS)
}

const DAY = /^\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?[:：]? ?/

/** A line of a memory without the day on which it was said. */
export function undatedLine(line: string): string {
  return shortLine(line).replace(DAY, '')
}

/** Equal for lines that differ only in case, marks and spaces. */
export function comparable(text: string): string {
  const letters = text
    .slice(0, MAX_READ_CHARACTERS)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
  return letters === '' ? text.slice(0, MAX_READ_CHARACTERS) : letters
}
