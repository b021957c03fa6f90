import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitrarySweep } from '../../../../test/browser/arbitrary-comparison.ts'
import type { Sweep, SweepPoint } from '../comparison.ts'
import { describeSweep } from './describe-sweep.ts'

function sweepOf(settings: readonly string[], tried: readonly (readonly number[])[], within = 0.05): Sweep {
  const points: SweepPoint[] = tried.map(numbers => ({
    values: Object.fromEntries(settings.map((setting, index) => [setting, numbers[index]!])),
    money: numbers.at(-1)!,
    meanContext: 0,
    peakContext: 0,
    folds: 0,
  }))
  const best = points.reduce((a, b) => (b.money < a.money ? b : a))
  const flat = points.filter(point => point.money <= best.money * (1 + within))
  return { policy: 'rounds', settings, points, best, flat: { within, points: flat } }
}

test.each<[string, [number, number][], string]>([
  [
    'a valley',
    [
      [2, 1.31],
      [4, 1.04],
      [5, 1],
      [7, 1.02],
      [12, 1.18],
    ],
    'Best: turns=5 at $1.00. From 4 to 7 it costs at most 5% more; at 2 +31%, at 12 +18%.',
  ],
  [
    'in any order',
    [
      [12, 1.18],
      [5, 1],
      [2, 1.31],
    ],
    'Best: turns=5 at $1.00. Nothing beside it comes within 5%: at 2 +31%, at 12 +18%.',
  ],
  [
    'a slope',
    [
      [2, 1.5],
      [4, 1.03],
      [8, 1],
    ],
    'Best: turns=8 at $1.00. From 4 to 8 it costs at most 5% more; at 2 +50%. Higher values were not tried.',
  ],
  [
    'flat',
    [
      [2, 1.01],
      [4, 1],
      [8, 1.02],
    ],
    'Best: turns=4 at $1.00. From 2 to 8 everything costs at most 5% more: here it hardly matters.',
  ],
  [
    'two valleys',
    [
      [2, 1.01],
      [4, 2],
      [8, 1],
      [9, 4],
    ],
    'Best: turns=8 at $1.00. Nothing beside it comes within 5%: at 4 +100%, at 9 4×. Also within 5%: 2.',
  ],
  ['one value', [[2, 1]], 'Best: turns=2 at $1.00. Nothing else was tried.'],
  [
    'no prices',
    [
      [2, 0],
      [4, 0],
    ],
    'Best: turns=2 at $0. Everything else that was tried costs the same.',
  ],
  [
    'the same, as far as anyone can read it',
    [
      [2, 1],
      [4, 1.0004],
    ],
    'Best: turns=2 at $1.00. Everything else that was tried costs the same.',
  ],
  [
    'a best that costs nothing',
    [
      [2, 0],
      [4, 0.5],
    ],
    'Best: turns=2 at $0. Nothing beside it comes within 5%: at 4 $0.50. Lower values were not tried.',
  ],
])('%s', (_, tried, words) => {
  expect(describeSweep(sweepOf(['turns'], tried), '$')).toBe(words)
})

test('two settings', () => {
  const tried = [1, 2, 3].flatMap(a =>
    [1, 2, 3].map(b => [a, b, 1 + (a - 2) ** 2 * 0.04 + (b - 2) ** 2 * 0.3]),
  )
  expect(describeSweep(sweepOf(['a', 'b'], tried), '$')).toBe(
    'Best: a=2 b=2 at $1.00. 3 of 9 combinations cost at most 5% more: a from 1 to 3 and b at 2. The dearest: a=1 b=1 with +34%.',
  )
})

test.each<[string, number[][], string]>([
  [
    'one of two settings makes no difference',
    [
      [1, 1, 1.1],
      [1, 2, 1.1003],
      [2, 1, 1.0002],
      [2, 2, 1],
      [3, 1, 2],
    ],
    'Best: a=2 at $1.00. Nothing beside it comes within 5%: at 1 +10%, at 3 +100%. `b` makes no difference here.',
  ],
  [
    'neither of two makes a difference',
    [
      [1, 1, 1],
      [1, 2, 1.0002],
      [2, 1, 1],
    ],
    '`a` and `b` make no difference here: everything that was tried costs $1.00.',
  ],
  [
    'of one nothing is known',
    [
      [1, 1, 1],
      [2, 1, 2],
    ],
    'Best: a=1 b=1 at $1.00. The other combination does not come within 5%. The dearest: a=2 b=1 with +100%.',
  ],
])('%s', (_, tried, words) => {
  expect(describeSweep(sweepOf(['a', 'b'], tried), '$')).toBe(words)
})

test('the same after a trip through JSON, where the best is a copy', () => {
  fc.assert(
    fc.property(arbitrarySweep, sweep => {
      const words = describeSweep(sweep, '$')
      expect(describeSweep(JSON.parse(JSON.stringify(sweep)) as Sweep, '$')).toBe(words)
      expect(words).not.toMatch(/NaN|undefined|Infinity|null/)
    }),
  )
})
