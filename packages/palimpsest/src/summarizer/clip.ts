import { headOf, tailOf } from '../log/index.ts'

/** At most `limit` UTF-16 units, never half a character. */
export function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${headOf(text, limit - 1)}…`
}

/** Keeps the head and the tail of a text that is too long. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = headOf(text, Math.ceil(limit * 0.7))
  const tail = tailOf(text, Math.floor(limit * 0.3))
  return `${head} … ${tail}`
}
