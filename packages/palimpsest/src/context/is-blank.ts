/** Providers refuse a text with nothing in it. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
