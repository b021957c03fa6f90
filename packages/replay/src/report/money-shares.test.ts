import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryComparison } from '../../../../test/browser/arbitrary-comparison.ts'
import { exampleComparison } from '../../../../test/browser/example-comparison.ts'
import { moneyShares } from './money-shares.ts'

const { prices, runs } = exampleComparison()
const [run] = runs
const call = { calls: 1, inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, money: 0 }

test('tokens times prices, and all that the memory costs together', () => {
  const reply = { ...call, inputTokens: 1e6, cachedTokens: 5e5, cacheWriteTokens: 2e5, outputTokens: 1e5 }
  const money = 0.3 * 3 + 0.2 * 3.75 + 0.5 * 0.3 + 0.1 * 15
  const calls = {
    reply: { ...reply, money },
    summary: { ...call, money: 0.2 },
    memo: { ...call, money: 0.1 },
    extraction: { ...call, money: 0.4 },
  }
  const shares = moneyShares({ ...run!, cost: { total: money + 0.7, calls } }, prices)
  expect(shares.input).toBeCloseTo(0.9)
  expect(shares.cacheWrite).toBeCloseTo(0.75)
  expect(shares.cachedInput).toBeCloseTo(0.15)
  expect(shares.output).toBeCloseTo(1.5)
  expect(shares.memory).toBeCloseTo(0.7)
})

test('a cache write without a fee of its own is input', () => {
  const reply = { ...call, inputTokens: 1e6, cachedTokens: 5e5, cacheWriteTokens: 4e5, money: 1.65 }
  const calls = { reply, summary: call, memo: call, extraction: call }
  const shares = moneyShares({ ...run!, cost: { total: 1.65, calls } }, { ...prices, cacheWrite: 3 })
  expect(shares.input).toBeCloseTo(1.5)
  expect(shares.cacheWrite).toBe(0)
  expect(shares.cachedInput).toBeCloseTo(0.15)
})

test('the shares are the total, whatever the prices', () => {
  fc.assert(
    fc.property(arbitraryComparison, comparison => {
      for (const one of comparison.runs) {
        const shares = Object.values(moneyShares(one, comparison.prices))
        const sum = shares.reduce((total, share) => total + share, 0)
        expect(Math.abs(sum - one.cost.total)).toBeLessThanOrEqual(one.cost.total * 1e-9)
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})
