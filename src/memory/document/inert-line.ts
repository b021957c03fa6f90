import { openedFence } from './markdown-lines.ts'

/** Control characters that are no white space, and the marks that reorder what is displayed. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Without what nobody sees and half characters. White space and line breaks of every kind stay. */
function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '').toWellFormed()
}

/** Marks after which a line would be a heading, a list item, a quote or a rule. */
const BLOCK_MARK = /^(?:#{1,6}(?=\s|$)|[-*+](?=\s|$)|>|(?:-+|=+|\*+|_+)$)/
const NUMBER_MARK = /^(\d{1,9})([.)])(?=\s|$)/

/**
 * Any text as one line that can stand anywhere in a document: single spaces, no control characters, and a
 * beginning that is no Markdown of its own.
 */
export function inertLine(text: string): string {
  const line = withoutUnseen(text)
    .replace(/[\s\u0085]+/g, ' ')
    // Marks that do not show, so that nothing hides behind them.
    .replace(/^[\s\p{Cf}]+/u, '')
    .trimEnd()
  if (BLOCK_MARK.test(line) || openedFence(line) !== null) return `\\${line}`
  return line.replace(NUMBER_MARK, '$1\\$2')
}
