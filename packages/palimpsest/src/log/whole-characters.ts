/** The first `length` UTF-16 units of a text, but never half a character at the end. */
export function headOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

/** The last `length` UTF-16 units of a text, but never half a character at the beginning. */
export function tailOf(text: string, length: number): string {
  return text.slice(text.length - length).replace(/^[\udc00-\udfff]/, '')
}
