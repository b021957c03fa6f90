const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?$/i
const WITH_OFFSET =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}|[+-]\d{2})$/i

/** The years that a JavaScript date and both databases agree on. */
const EARLIEST = Date.UTC(1, 0, 1)
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Milliseconds since 1970 in UTC, or `null` where it is no time. A time without an offset is taken in
 * `zone`, never in the zone of the machine, so that the same input means the same instant everywhere.
 */
export function parseInstant(value: unknown, zone: string): number | null {
  const instant = readInstant(value, zone)
  return instant !== null && instant >= EARLIEST && instant <= LATEST ? Math.trunc(instant) : null
}

function readInstant(value: unknown, zone: string): number | null {
  if (value instanceof Date) return finite(value.getTime())
  if (typeof value === 'number') return finite(value)
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (WITH_OFFSET.test(text)) return finite(Date.parse(canonicalOffset(text)))
  const local = LOCAL_TIME.exec(text)
  return local ? instantInZone(local, zone) : null
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** The one form that every engine parses: `T`, a point, `Z` or `+08:00`. */
function canonicalOffset(text: string): string {
  return text
    .toUpperCase()
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/([+-]\d{2})(\d{2})?$/, (_, hours: string, minutes?: string) => `${hours}:${minutes ?? '00'}`)
}

function instantInZone(match: RegExpExecArray, zone: string): number | null {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(part => Number(part ?? 0))
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day!)
  date.setUTCHours(hour!, minute!, second!, milliseconds)
  const isReal =
    date.getUTCMonth() === month! - 1 && date.getUTCDate() === day! && date.getUTCHours() === hour!
  if (!isReal) return null
  const wallClock = date.getTime()
  // The offset depends on the instant that we look for: a second look settles all but the skipped hour.
  const guess = wallClock - zoneOffset(wallClock, zone)
  return wallClock - zoneOffset(guess, zone)
}

function zoneOffset(instant: number, zone: string): number {
  if (zone === 'UTC') return 0
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant)
  const read = (type: string) => Number(parts.find(part => part.type === type)?.value)
  const wallClock = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  )
  return wallClock - Math.floor(instant / 1000) * 1000
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
