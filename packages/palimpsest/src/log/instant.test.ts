import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseInstant } from './instant.ts'

const at = (text: string, zone: string) => {
  const instant = parseInstant(text, zone)
  return instant === null ? null : new Date(instant).toISOString()
}

describe('a local time', () => {
  test.each([
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
    ['America/Sao_Paulo', '2018-02-17T23:30', '2018-02-18T01:30:00.000Z'],
    ['Pacific/Apia', '2012-04-01T03:30', '2012-03-31T13:30:00.000Z'],
  ])('that the clocks of %s show twice is the first of the two: %s', (zone, text, instant) => {
    expect(at(text, zone)).toBe(instant)
  })

  test.each([
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
    // No midnight in that night.
    ['America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T03:00:00.000Z'],
    // No such day at all: they changed the side of the date line.
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000Z'],
  ])('that the clocks of %s skip goes forward: %s', (zone, text, instant) => {
    expect(at(text, zone)).toBe(instant)
  })

  test('in the years of two digits is in that year', () => {
    expect(at('0050-06-01T12:00', 'Etc/GMT-8')).toBe('0050-06-01T04:00:00.000Z')
    expect(at('0001-01-01T08:00', 'Etc/GMT-8')).toBe('0001-01-01T00:00:00.000Z')
  })

  test('means in every zone the earliest instant at which clocks there show it, or the first after what they skip', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    const shown = (instant: number, zone: string) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
        instant,
      )
    const minute = 60_000
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        // Since clocks have gone by whole minutes everywhere.
        fc.integer({ min: Date.UTC(1975, 0) / minute, max: Date.UTC(2037, 0) / minute }),
        (zone, minutes) => {
          const wallClock = new Date(minutes * minute).toISOString().slice(0, 19).replace('T', ' ')
          const instant = parseInstant(wallClock, zone)!
          const offsets = [-1, 1].map(days => {
            const beside = minutes * minute + days * 86_400_000
            return Date.parse(`${shown(beside, zone).replace(' ', 'T')}Z`) - beside
          })
          const showing = offsets
            .map(offset => minutes * minute - offset)
            .filter(candidate => shown(candidate, zone) === wallClock)
          if (showing.length > 0) expect(instant).toBe(Math.min(...showing))
          else expect(shown(instant, zone) > wallClock).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
