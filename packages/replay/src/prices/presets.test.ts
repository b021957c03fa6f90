import { describe, expect, test } from 'vitest'
import { PRICE_ALIASES, PRICE_PRESETS } from './presets.ts'

const presets = Object.entries(PRICE_PRESETS)

describe('the presets', () => {
  test.each(presets)('%s', (name, prices) => {
    expect(prices.name).toBe(name)
    expect(name).not.toMatch(/[\s,=]|\.json$/)
    expect(prices.output).toBeGreaterThan(prices.input)
    expect(prices.cacheStepTokens).toBeGreaterThanOrEqual(1)
    expect(prices.cacheLifetimeSec).toBeGreaterThan(0)
    if (prices.caching === 'none') expect(prices.cachedInput).toBe(prices.input)
    else expect(prices.cachedInput).toBeLessThan(prices.input)
    expect(prices.cacheWrite).toBeGreaterThanOrEqual(prices.input)
  })

  test('aliases lead to presets and hide none', () => {
    for (const [alias, name] of Object.entries(PRICE_ALIASES)) {
      expect(PRICE_PRESETS).toHaveProperty([name])
      expect(PRICE_PRESETS).not.toHaveProperty([alias])
    }
  })
})
