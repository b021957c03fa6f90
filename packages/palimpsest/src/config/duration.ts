const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const DURATION_RULE = 'a number with s, m, h or d, such as 90m, 24h or 7d, of at least one minute'

const MIN_MS = 60_000
const MAX_MS = 366 * 86_400_000

/** Reads `24h` as 86,400,000 milliseconds. `null`: the text is not a duration, or is out of bounds. */
export function readDuration(text: string): number | null {
  const { count, unit } = /^(?<count>\d{1,9}(?:\.\d{1,3})?)(?<unit>[smhd])$/.exec(text)?.groups ?? {}
  const ms = Number(count) * UNITS[unit ?? '']!
  return ms >= MIN_MS && ms <= MAX_MS ? ms : null
}
