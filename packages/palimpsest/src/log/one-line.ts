import { withPlainLineBreaks } from './lines.ts'

/** Control characters that are no line break, and the marks that change the order of displayed text. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /[\u0000-\u0008\u000e-\u001b\u001f\u007f-\u0084\u0086-\u009f\u202a-\u202e\u2066-\u2069]/g
/** Most lines need no cleaning, and this test shows it at once. */
const SUSPECT = /[^ -~\u00a1-\u167f\u1681-\u1fff\u2010-\u2027\u3001-\ud7ff]| {2}/
const LONG_SPACE = /[^\S ]|\s{2,}/
const SPACES = /\s+/g

/**
 * Any text as one line, for every block whose lines are ours: single spaces, also for line breaks of every
 * kind, and no half characters. An invisible character becomes a space, or nothing if the text is stored as a
 * line of its own.
 */
export function oneLine(text: string, unseen: ' ' | '' = ' '): string {
  if (!SUSPECT.test(text)) return text.trim()
  const clean = withPlainLineBreaks(text).replace(UNSEEN, unseen).toWellFormed().trim()
  return LONG_SPACE.test(clean) ? clean.replace(SPACES, ' ') : clean
}
