/**
 * Stored text stands in blocks that we open and close, and behind attributions that we write. So that it
 * can neither leave its block nor speak as somebody else, what looks like one of our own marks is made
 * harmless: `<session_memory>` loses its bracket, and `[Ann]:` at the start of a line is preceded by `\`.
 */
const TAG = /<(?=\s*\/?\s*(?:session_memory|persona|guidance|recall|recent_changes|daily_log|\w+_memory)\b)/gi
const ATTRIBUTION = /^([^\S\n]*)\[(?=[^\]\n]{1,200}\][:：])/gm
const HEADING = /^([^\S\n]*)#(?=#{0,5}\s)/gm

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
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff[\]<>]/g
const MOST_NAME_CHARACTERS = 60

/** A name or an id for an attribution: on one line, without the brackets of our own marks. */
export function inertName(name: string): string {
  const clean = name.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()
  if (clean.length <= MOST_NAME_CHARACTERS) return clean
  return `${clean.slice(0, MOST_NAME_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
}
