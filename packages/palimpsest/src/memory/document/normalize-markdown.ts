/**
 * One form for every text that comes in: no byte order mark, no NUL, no half characters, lines that end with
 * `\n`, and one line break at the end. What holds nothing but white space is nothing.
 */
export function normalizeMarkdown(text: string): string {
  const kept = text
    .replaceAll('\0', '')
    .replace(/^\ufeff+/, '')
    .replace(/\r\n?/g, '\n')
    .toWellFormed()
    .trimEnd()
  return kept === '' ? '' : `${kept}\n`
}
