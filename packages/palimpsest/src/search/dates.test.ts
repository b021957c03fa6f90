import { expect, test } from 'vitest'
import { findDates, rangesOf } from './dates.ts'

test.each([
  ['on 2023-05-08', [[2023, 5, 8]]],
  ['2023/5/8', [[2023, 5, 8]]],
  ['in may 2023', [[2023, 5, null]]],
  ['may 8, 2023', [[2023, 5, 8]]],
  ['december 1,2023', [[2023, 12, 1]]],
  ['8th of may, 2023', [[2023, 5, 8]]],
  ['8 dec. 2023', [[2023, 12, 8]]],
  ['in june', [[null, 6, null]]],
  ['on march 3rd', [[null, 3, 3]]],
  ['in march', [[null, 3, null]]],
  ['may i march on', []],
  ['decide marching', []],
  ['back in 2021', [[2021, null, null]]],
  ['version 1.2021', []],
  ['12021 or 202', []],
  ['2023年5月8日', [[2023, 5, 8]]],
  ['2023年5月', [[2023, 5, null]]],
  ['2023年的', [[2023, null, null]]],
  ['5月8号', [[null, 5, 8]]],
  ['13月', []],
  [
    '5/8/2023',
    [
      [2023, 5, 8],
      [2023, 8, 5],
    ],
  ],
  ['25/8/2023', [[2023, 8, 25]]],
])('%j names %j', (query, expected) => {
  expect(findDates(query).dates.map(({ year, month, day }) => [year, month, day])).toEqual(expected)
})

test('what names a date is taken out', () => {
  expect(findDates('paris in may 2023 again').rest.trim().split(/\s+/)).toEqual(['paris', 'in', 'again'])
})

const minute = (iso: string) => Date.parse(iso) / 60_000

test('a date is a range of minutes, in every year if it names none', () => {
  const years = [2022, 2023, 2024]
  expect(rangesOf({ year: 2023, month: 12, day: null }, years, 'UTC')).toEqual([
    { from: minute('2023-12-01T00:00:00Z'), to: minute('2024-01-01T00:00:00Z') },
  ])
  expect(rangesOf({ year: null, month: 5, day: 8 }, years, 'UTC')).toEqual(
    [2022, 2023, 2024].map(year => ({
      from: minute(`${year}-05-08T00:00:00Z`),
      to: minute(`${year}-05-09T00:00:00Z`),
    })),
  )
})

test('a day begins and ends by the clocks of the zone, also when they are changed', () => {
  expect(rangesOf({ year: 2026, month: 5, day: 10 }, [], 'Asia/Shanghai')).toEqual([
    { from: minute('2026-05-09T16:00:00Z'), to: minute('2026-05-10T16:00:00Z') },
  ])
  expect(rangesOf({ year: 2026, month: 3, day: 29 }, [], 'Europe/Berlin')).toEqual([
    { from: minute('2026-03-28T23:00:00Z'), to: minute('2026-03-29T22:00:00Z') },
  ])
})
