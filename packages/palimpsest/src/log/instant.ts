import { BoundedMap } from '../bounded-map.ts'

const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?$/i
const WITH_OFFSET =
  /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?:Z|[+-]\d{2}:?\d{2}|[+-]\d{2})$/i

/** The years that ISO 8601 writes with four digits. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Milliseconds since 1970 in UTC. `null`: the value is no time. A time without an offset is read in `zone`,
 * never in the zone of the machine, so that the same input means the same instant everywhere.
 */
export function parseInstant(value: unknown, zone: string): number | null {
  const instant = readInstant(value, zone)
  return instant !== null && instant >= EARLIEST && instant <= LATEST ? Math.trunc(instant) : null
}

/**
 * The bounds of a message's instant. In every zone on earth, its day has a year of four digits, from 1 on.
 * Zones differ from UTC by less than a day.
 */
const MIN_MESSAGE_INSTANT = Date.parse('0001-01-02T00:00:00Z')
const MAX_MESSAGE_INSTANT = Date.UTC(9999, 11, 30, 23, 59, 59, 999)

export const MESSAGE_INSTANT_RULE =
  'a Date, milliseconds since 1970, or ISO 8601 text such as "2026-01-15T08:00:00Z", from 0001-01-02 through 9999-12-30'

/** When a message was said. `null`: the value is no instant, or it is out of the bounds above. */
export function parseMessageInstant(value: unknown, zone: string): number | null {
  const instant = parseInstant(value, zone)
  return instant !== null && instant >= MIN_MESSAGE_INSTANT && instant <= MAX_MESSAGE_INSTANT ? instant : null
}

function readInstant(value: unknown, zone: string): number | null {
  if (value instanceof Date) return finite(value.getTime())
  if (typeof value === 'number') return finite(value)
  if (typeof value !== 'string') return null
  const text = value.trim()
  const withOffset = WITH_OFFSET.exec(text)
  if (withOffset) {
    // JavaScript would read the 30th of February as the 2nd of March, so the fields are checked first.
    const isReal = wallClockOf(LOCAL_TIME.exec(withOffset[1]!)!) !== null
    return isReal ? finite(Date.parse(canonicalOffset(text))) : null
  }
  const wallClock = wallClockOf(LOCAL_TIME.exec(text))
  return wallClock === null ? null : instantInZone(wallClock, zone)
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** The one form that every JavaScript engine parses: `T`, a point, `Z` or `+08:00`. */
function canonicalOffset(text: string): string {
  return text
    .toUpperCase()
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/([+-]\d{2})(\d{2})?$/, (_, hours: string, minutes?: string) => `${hours}:${minutes ?? '00'}`)
}

/** The time of a wall clock, as if it were in UTC. `null`: no clock shows it. */
function wallClockOf(match: RegExpExecArray | null): number | null {
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(part => Number(part ?? 0))
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day!)
  date.setUTCHours(hour!, minute!, second!, milliseconds)
  const isReal =
    date.getUTCMonth() === month! - 1 &&
    date.getUTCDate() === day! &&
    date.getUTCHours() === hour! &&
    date.getUTCMinutes() === minute! &&
    date.getUTCSeconds() === second!
  return isReal ? date.getTime() : null
}

/**
 * A time that the clocks show twice means the first of the two. A time that they skip moves forward by the
 * skipped span: half past two, in a night without the hour from two to three, is half past three.
 */
function instantInZone(wallClock: number, zone: string): number {
  const [before, after] = [-DAY_MS, DAY_MS].map(shift => wallClock - zoneOffset(wallClock + shift, zone))
  const shows = (instant: number) => instant + zoneOffset(instant, zone) === wallClock
  return !shows(before!) && shows(after!) ? after! : before!
}

const DAY_MS = 86_400_000

/** How far clocks in the zone are ahead of UTC. */
function zoneOffset(instant: number, zone: string): number {
  if (zone === 'UTC') return 0
  const parts = clockOf(zone).formatToParts(instant)
  const read = (type: string) => Number(parts.find(part => part.type === type)?.value)
  // `Date.UTC` reads the years from 0 to 99 as years of the last century.
  const wallClock = new Date(0)
  const year = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
    ? 1 - read('year')
    : read('year')
  wallClock.setUTCFullYear(year, read('month') - 1, read('day'))
  wallClock.setUTCHours(read('hour'), read('minute'), read('second'))
  return wallClock.getTime() - Math.floor(instant / 1000) * 1000
}

/** There are about this many zones, but the same zone can be written in many ways. */
const MAX_CLOCKS = 500
/** Making a formatter takes a hundred times as long as using it. */
const clocks = new BoundedMap<string, Intl.DateTimeFormat>(MAX_CLOCKS)

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(zone, clock)
  return clock
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
