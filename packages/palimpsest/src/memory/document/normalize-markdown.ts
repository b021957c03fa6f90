/**
 * Brings each incoming text into one form. It has no byte order mark, no NUL and no half characters. Its
 * lines end with `\n`, and it ends with one line break. A text of only white space becomes empty.
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
