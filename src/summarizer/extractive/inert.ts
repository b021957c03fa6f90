import { headOf, ROLES, tailOf } from '../../log/index.ts'
import type { SourceMessage } from '../summarizer.ts'

/** Control characters, line and paragraph separators, and the marks that reorder what is displayed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g
/** Most lines have nothing of the kind, and one look tells. */
const SUSPECT = /[^ -~\u00a1-\u1fff\u2010-\u2027\u3001-\ud7ff]| {2}/
const LONG_SPACE = /[^\S ]|\s{2,}/
const SPACES = /\s+/g

const MAX_NAME_CHARACTERS = 40

/** On one line, with single spaces, no control characters and no half characters. */
export function oneLine(text: string): string {
  if (!SUSPECT.test(text)) return text.trim()
  const clean = text.replace(UNSAFE, ' ').toWellFormed().trim()
  return LONG_SPACE.test(clean) ? clean.replace(SPACES, ' ') : clean
}

/**
 * Who said it, such that it can be read in one way only: a name holds no colon, so that it ends where the
 * text begins, and one that poses as another role, or begins as a line of ours does, stands in quotes.
 */
export function speakerName({ sender, role }: Pick<SourceMessage, 'sender' | 'role'>): string {
  const given = clip(oneLine((sender?.name ?? sender?.id ?? '').replace(/[:：]/g, ' ')), MAX_NAME_CHARACTERS)
  if (given === '') return role
  const lower = given.toLowerCase()
  const poses = lower !== role && (ROLES as readonly string[]).includes(lower)
  return poses || /^(?:[#\-*>|=`~]|\d{4}-\d{2}-\d{2} )/.test(given) ? `"${given}"` : given
}

/** At most so many UTF-16 units, never half a character. */
export function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${headOf(text, limit - 1)}…`
}

/** Head and tail of what is too long. */
export function clipMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = headOf(text, Math.ceil(limit * 0.7))
  const tail = tailOf(text, Math.floor(limit * 0.3))
  return `${head} … ${tail}`
}
