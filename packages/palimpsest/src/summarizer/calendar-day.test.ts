import { expect, test } from 'vitest'
import { dayInZone, dayOf, formatDay, realDay, weekday } from './calendar-day.ts'

test.each([
  ['2026-03-02T23:30:00Z', 'UTC', '2026-03-02'],
  ['2026-03-02T23:30:00Z', 'Europe/Berlin', '2026-03-03'],
  ['2026-03-02T16:30:00Z', 'Asia/Shanghai', '2026-03-03'],
  ['2026-01-01T03:00:00Z', 'America/New_York', '2025-12-31'],
  ['2026-03-29T00:30:00Z', 'Europe/Berlin', '2026-03-29'],
  ['0099-12-31T12:00:00Z', 'UTC', '0099-12-31'],
])('%s in %s is %s', (at, zone, day) => {
  expect(formatDay(dayInZone(new Date(at), zone))).toBe(day)
})

test('months and days run over', () => {
  expect(formatDay(dayOf(2026, 13, 1))).toBe('2027-01-01')
  expect(formatDay(dayOf(2026, 3, 0))).toBe('2026-02-28')
  expect(realDay(2026, 2, 29)).toBeNull()
  expect(realDay(2028, 2, 29)).not.toBeNull()
})

test('the week begins on Monday, before 1970 too', () => {
  expect(weekday(dayOf(2026, 3, 2))).toBe(0)
  expect(weekday(dayOf(2026, 3, 8))).toBe(6)
  expect(weekday(dayOf(1969, 12, 29))).toBe(0)
})
