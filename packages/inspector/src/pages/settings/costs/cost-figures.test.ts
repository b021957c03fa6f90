import { expect, test } from 'vitest'
import { costFigures, timesAsMuch } from './cost-figures.ts'

const tokens = { meanContext: 4000, peakContext: 6000, cachedShare: 0.8 }
const cost = {
  total: 0.5,
  calls: {
    reply: { calls: 100, money: 0.4 },
    summary: { calls: 20, money: 0.1 },
    memo: { calls: 2, money: 0 },
  },
}

test('figures of a replay, for a turn and for a thousand', () => {
  expect(costFigures({ cost, tokens }, 100)).toEqual({
    perTurn: 0.005,
    perThousandTurns: 5,
    cachedShare: 0.8,
    meanContext: 4000,
    peakContext: 6000,
    summariserCalls: 22,
  })
})

test('how many times as much it costs to send everything', () => {
  expect(timesAsMuch({ cost, baseline: { cost: { total: 1.75, calls: {} }, tokens } })).toBe(3.5)
  expect(timesAsMuch({ cost: { total: 0, calls: {} }, baseline: { cost, tokens } })).toBe(1)
})
