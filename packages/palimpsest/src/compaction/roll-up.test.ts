import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseRollUp, type RollUpSegment } from './roll-up.ts'

const segments = (...levels: number[]): RollUpSegment[] => levels.map(level => ({ level, tokensAfter: 100 }))

test('nothing is condensed while all fit', () => {
  expect(chooseRollUp(segments(1, 1), 200)).toBeNull()
  expect(chooseRollUp(segments(), 200)).toBeNull()
})

test('one that is over the limit alone is condensed too', () => {
  expect(chooseRollUp(segments(1), 50)).toEqual({ from: 0, count: 1 })
})

test('of the level that has most, the oldest; of equals the higher level', () => {
  expect(chooseRollUp(segments(1, 1, 1, 1, 1), 450)).toEqual({ from: 0, count: 3 })
  expect(chooseRollUp(segments(2, 1, 1, 1), 350)).toEqual({ from: 1, count: 3 })
  expect(chooseRollUp(segments(2, 2, 1, 1), 350)).toEqual({ from: 0, count: 2 })
  expect(chooseRollUp(segments(3, 2, 1), 250)).toEqual({ from: 0, count: 2 })
})

test('folding for ever stays within the limit, and no message is summarised often', () => {
  const limit = 2_000
  const most = Math.floor(limit / 6)
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 120, max: most }), { minLength: 900, maxLength: 1_000 }),
      folds => {
        let shown: RollUpSegment[] = []
        for (const tokensAfter of folds) {
          shown.push({ level: 1, tokensAfter })
          for (let rollUp = chooseRollUp(shown, limit); rollUp; rollUp = chooseRollUp(shown, limit)) {
            const { from, count } = rollUp
            const absorbed = shown.slice(from, from + count)
            const level = Math.max(...absorbed.map(segment => segment.level)) + 1
            const tokens = absorbed.reduce((sum, segment) => sum + segment.tokensAfter, 0)
            shown = shown.toSpliced(from, count, {
              level,
              tokensAfter: Math.min(most, Math.floor(tokens * 0.75)),
            })
          }
          expect(shown.reduce((sum, segment) => sum + segment.tokensAfter, 0)).toBeLessThanOrEqual(limit)
        }
        // 22 to 24 were seen over thousands of histories; one level for each fold would be a thousand.
        expect(Math.max(...shown.map(({ level }) => level))).toBeLessThan(30)
      },
    ),
    // A thousand folds are not made fewer in any reasonable time.
    { numRuns: 20, endOnFailure: true },
  )
})
