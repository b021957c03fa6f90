/** Providers refuse a blank text. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
