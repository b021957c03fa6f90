/**
 * Removes everything that could be a password, even in an address that is written wrong: all text before the
 * last `@`.
 */
export function withoutPassword(url: string): string {
  return url
    .replace(/\/\/.*@/s, '//…@')
    .replace(/\?.*$/s, '')
    .replace(/(password\s*=\s*)\S*/gi, '$1…')
}
