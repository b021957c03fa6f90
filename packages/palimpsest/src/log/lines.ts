/**
 * What counts as a line break, for every block that holds stored text: everything that any reader takes for
 * one, such as a terminal, an editor, a tokenizer or Python's `splitlines`. So no stored text can begin a
 * line of its own making.
 */

/** LF, VT, FF, CR, the separators of files, groups and records, NEL, and the two of Unicode. */
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

/** The same text with `\n` for every line break. */
export function withPlainLineBreaks(text: string): string {
  return text.replace(ALL_LINE_BREAKS, '\n')
}
