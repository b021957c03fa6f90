import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CONDENSED_SHARE, countToRollUp } from './roll-up.ts'

const segments = (...tokens: number[]) => tokens.map(tokensAfter => ({ tokensAfter }))

test('nothing is condensed while all fit', () => {
  expect(countToRollUp(segments(100, 100), 200)).toBe(0)
  expect(countToRollUp(segments(500), 200)).toBe(0)
})

test('the oldest go first, as many as are needed', () => {
  expect(countToRollUp(segments(100, 100, 100, 100, 100), 450)).toBe(3)
})

test('folding for ever stays within the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 20, max: 300 }), { minLength: 200, maxLength: 400 }), folds => {
      const limit = 2000
      let shown: { tokensAfter: number }[] = []
      for (const tokensAfter of folds) {
        shown.push({ tokensAfter })
        const count = countToRollUp(shown, limit)
        if (count === 0) continue
        const condensed = shown.slice(0, count).reduce((sum, segment) => sum + segment.tokensAfter, 0)
        shown = [{ tokensAfter: Math.ceil(condensed * CONDENSED_SHARE) }, ...shown.slice(count)]
        expect(shown.reduce((sum, segment) => sum + segment.tokensAfter, 0)).toBeLessThanOrEqual(limit)
      }
    }),
  )
})
