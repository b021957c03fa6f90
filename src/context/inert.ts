import { headOf } from '../log/index.ts'
import { createHash } from './create-hash.ts'

/**
 * Stored text stands in blocks that we open and close, and behind attributions that we write. So that it
 * can neither leave its block nor speak as somebody else, what looks like one of our own marks is made
 * harmless: `<session_memory>` loses its bracket, and `[Ann]:` at the start of a line is preceded by `\`.
 */
const TAG =
  /<(?=\s{0,8}(?:\/\s{0,8})?(?:session_memory|persona|guidance|recall|recent_changes|daily_log|\w{1,20}_memory)\b)/gi
/** White space and marks that do not show may stand before it; bounded, so that no text takes long. */
const ATTRIBUTION = /^([\s\p{Cf}]{0,16})\[(?=[^\]\n]{1,200}\][:：])/gmu
const HEADING = /^([ \t]{0,8})#(?=#{0,5}\s)/gm

/** Most text has neither a bracket nor half a character. */
const SUSPECT = /[<[\ud800-\udfff]/

export function inert(text: string): string {
  if (!SUSPECT.test(text)) return text
  return text.toWellFormed().replace(TAG, '&lt;').replace(ATTRIBUTION, '$1\\[')
}

/** Inside the session memory headings are ours, too. */
export function inertUnderHeadings(text: string): string {
  return inert(text).replace(HEADING, '$1\\#')
}

/** Control characters, line and paragraph separators, and the marks that reorder what is displayed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Cf}[\]<>()]/gu
const MOST_NAME_CHARACTERS = 60

/** A name for an attribution: on one line, without the brackets of our own marks. */
export function inertName(name: string): string {
  const clean = name.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()
  if (clean.length <= MOST_NAME_CHARACTERS) return clean
  return `${headOf(clean, MOST_NAME_CHARACTERS)}…`
}

/** An id likewise; one that had to be changed is told apart by a digest, so that no two look alike. */
export function inertId(id: string): string {
  const name = inertName(id)
  if (name === id) return id
  return `${name}#${createHash('sha1').update(id).digest('hex').slice(0, 6)}`
}
