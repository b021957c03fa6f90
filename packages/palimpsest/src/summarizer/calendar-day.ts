import { isZone } from '../log/index.ts'

/**
 * Days of the calendar as plain numbers: days since 1970-01-01. They hold no time and no zone, so adding a
 * day is adding one, also in a night when the clocks change.
 */

const DAY = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()
const hours = new Map<string, Intl.DateTimeFormat>()

/** The days that `YYYY-MM-DD` can name. */
const FIRST_DAY = dayOf(1, 1, 1)
const LAST_DAY = dayOf(9999, 12, 31)

/**
 * The day of `at` on the calendar of `zone`. A time before the first day that can be written gives that first
 * day; a time after the last gives the last. One message with a strange time must not stop the work on all
 * the others.
 */
export function dayInZone(at: Date, zone: string): number {
  const instant = at.getTime()
  const day = Math.floor(instant / DAY)
  if (zone === 'UTC' || !(day > FIRST_DAY && day < LAST_DAY)) return writable(day)
  const parts = dateFormat(zone).formatToParts(instant)
  const read = (type: string) => Number(parts.find(part => part.type === type)?.value)
  return dayOf(read('year'), read('month'), read('day'))
}

/** The hour that the clocks of the zone show, from 0 to 23. */
export function hourInZone(at: Date, zone: string): number {
  if (Number.isNaN(at.getTime())) return 0
  return Number(hourFormat(zone).format(at))
}

function hourFormat(zone: string): Intl.DateTimeFormat {
  let format = hours.get(zone)
  if (!format) {
    format = zonedFormat('en-GB', zone, { hour: '2-digit', hourCycle: 'h23' })
    hours.set(zone, format)
  }
  return format
}

function dateFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = zonedFormat('en-US', zone, {
      calendar: 'gregory',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}

/**
 * A zone that this machine does not know is read as UTC: the machine that stored the zone may know more
 * zones.
 */
export function zonedFormat(
  locale: string,
  zone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const timeZone = isZone(zone) ? zone : 'UTC'
  return new Intl.DateTimeFormat(locale, { ...options, timeZone })
}

function writable(day: number): number {
  return Number.isNaN(day) ? FIRST_DAY : Math.max(FIRST_DAY, Math.min(LAST_DAY, day))
}

/** `month` counts from 1. Months and days outside the calendar run over, as in `Date`. */
export function dayOf(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return Math.floor(date.getTime() / DAY)
}

/** `null`: the calendar has no such day. */
export function realDay(year: number, month: number, day: number): number | null {
  const candidate = dayOf(year, month, day)
  const parts = dayParts(candidate)
  return parts.year === year && parts.month === month && parts.day === day ? candidate : null
}

export function dayParts(day: number): { year: number; month: number; day: number } {
  const date = new Date(day * DAY)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** 0 for Monday to 6 for Sunday. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/** `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  const { year, month, day: ofMonth } = dayParts(writable(day))
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(ofMonth)}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
