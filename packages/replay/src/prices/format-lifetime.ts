/** The lifetime of a cache in a short form: `5 min`, `2 h`. */
export function formatLifetime(seconds: number): string {
  if (seconds === Number.POSITIVE_INFINITY) return '∞'
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
