import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clipLimit } from './clip-limit.ts'
import { linearScale, roundUp, ticksBetween, ticksUpTo } from './scale.ts'
import { spreadLabels } from './spread-labels.ts'
import { shorten, textWidth } from './text-width.ts'

test('what is far beyond the typical is cut off', () => {
  expect(clipLimit([1, 1.2, 2, 106])).toBe(2)
  expect(clipLimit([1, 1.2, 4.9])).toBe(4.9)
  expect(clipLimit([10, 12, 11, 400, 9_000], [10, 12, 11])).toBe(12)
  expect(clipLimit([3])).toBe(3)
  expect(clipLimit([0, 0, 7])).toBe(7)
  expect(clipLimit([])).toBe(0)
})

test('at least half of the typical values stay whole', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(values, all => {
      const limit = clipLimit(all)
      expect(all.filter(value => value <= limit).length * 2).toBeGreaterThanOrEqual(all.length)
    }),
  )
})

test('ticks are round and lie within', () => {
  expect(ticksUpTo(20_200, 4)).toEqual([0, 10_000, 20_000])
  expect(ticksUpTo(0, 4)).toEqual([0])
  expect(ticksBetween(12.3, 16.4, 5)).toEqual([13, 14, 15, 16])
  expect(roundUp(20_200, 4)).toBe(30_000)
  expect(roundUp(19_900, 4)).toBe(20_000)
  expect(roundUp(0, 4)).toBe(1)
})

test('a scale without a span has one place', () => {
  expect(linearScale([0, 10], [100, 200])(5)).toBe(150)
  expect(linearScale([3, 3], [100, 200])(3)).toBe(100)
})

test('labels stand apart, in order, and within if they fit', () => {
  expect(spreadLabels([50, 51, 10], [10, 10, 10], [0, 100])).toEqual([50, 60, 10])
  expect(spreadLabels([98, 99, 97], [10, 10, 10], [0, 100])).toEqual([80, 90, 70])
  expect(spreadLabels([50, 51, 98], [10, 30, 20], [0, 100])).toEqual([40, 50, 80])
  const label = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 10, max: 30 }))
  fc.assert(
    fc.property(fc.array(label, { maxLength: 10 }), labels => {
      const heights = labels.map(([, height]) => height)
      const places = spreadLabels(
        labels.map(([wanted]) => wanted),
        heights,
        [0, 300],
      )
      const boxes = places.map((place, index) => ({ place, end: place + heights[index]! }))
      boxes.sort((a, b) => a.place - b.place)
      for (const [index, { place, end }] of boxes.entries()) {
        expect(place).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThanOrEqual(300)
        if (index > 0) expect(place).toBeGreaterThanOrEqual(boxes[index - 1]!.end)
      }
    }),
  )
})

test('shortened text fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 20, max: 200 }), (text, room) => {
      expect(textWidth(shorten(text, 12, room), 12)).toBeLessThanOrEqual(room)
    }),
  )
})
