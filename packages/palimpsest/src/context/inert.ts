import { isLineBreak } from '../log/index.ts'

export { inertId, inertName } from '../log/index.ts'

/**
 * Stored text stands in blocks that we open and close, and after attributions that we write. It must not
 * leave its block, and it must not speak for another person. So text that looks like one of our own marks is
 * made harmless: `<session_memory>` loses its bracket, and `[Ann]:` at the start of a line gets a `\` before
 * it.
 */
const TAG =
  /<(?=\s{0,8}(?:\/\s{0,8})?(?:session_memory|persona|guidance|recall|recent_changes|daily_log|\w{1,20}_memory)\b)/gi
/** Invisible marks may also stand before the colon. Their number is bounded, so that no text takes long. */
const ATTRIBUTION = /\[(?=[^\]\n]{1,200}\][\s\p{C}\p{M}]{0,8}[:：﹕︰꞉∶])/uy
const HEADING = /#(?=#{0,5}(?:\s|$))/uy

/** Most text has neither a bracket nor half a character. */
const SUSPECT = /[<[\ud800-\udfff]/

export function inert(text: string): string {
  if (!SUSPECT.test(text)) return text
  return escapeAtLineStart(text.toWellFormed().replace(TAG, '&lt;'), '[', ATTRIBUTION)
}

/** Inside the session memory headings are our marks too. */
export function inertUnderHeadings(text: string): string {
  return escapeAtLineStart(inert(text), '#', HEADING)
}

/**
 * Puts `\` before each of our marks that begins a line. Only invisible characters may stand before such a
 * mark.
 */
function escapeAtLineStart(text: string, mark: string, pattern: RegExp): string {
  const pieces: string[] = []
  let copied = 0
  let previous = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    // Everything before `previous` was looked at already.
    const isFirst = isAtLineStart(text, at, previous)
    previous = at + 1
    pattern.lastIndex = at
    if (!isFirst || !pattern.test(text)) continue
    pieces.push(text.slice(copied, at), '\\')
    copied = at
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied)
}

/** White space, control characters, combining marks, and letters that show nothing. */
const UNSEEN = /[\s\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u

function isAtLineStart(text: string, at: number, least: number): boolean {
  for (let start = at; start > least; ) {
    const code = text.charCodeAt(start - 1)
    if (isLineBreak(code)) return true
    const length = code >= 0xdc00 && code <= 0xdfff && start - 1 > least ? 2 : 1
    if (code > 32 && code < 127) return false
    if (!UNSEEN.test(text.slice(start - length, start))) return false
    start -= length
  }
  return least === 0
}
