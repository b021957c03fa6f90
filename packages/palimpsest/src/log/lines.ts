/**
 * What a line break is, for every block that stored text stands in: all that any reader takes for one, be it a
 * terminal, an editor, a tokenizer or Python's `splitlines`. So no text can begin a line that is not its own.
 */

/** VT, FF, the separators of files, groups and records, NEL, and the two of Unicode, beside LF and CR. */
const CODES = [0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029] as const
const LINE_BREAK = new RegExp(`\r\n|[${String.fromCharCode(...CODES)}]`)
const ALL_LINE_BREAKS = new RegExp(LINE_BREAK, 'g')

export function isLineBreak(code: number): boolean {
  if (code < 0x20) return (code >= 0x0a && code <= 0x0d) || (code >= 0x1c && code <= 0x1e)
  return code === 0x85 || code === 0x2028 || code === 0x2029
}

export function splitLines(text: string): string[] {
  return text.split(LINE_BREAK)
}

/** The same text with `\n` for each of them. */
export function withPlainLineBreaks(text: string): string {
  return text.replace(ALL_LINE_BREAKS, '\n')
}
