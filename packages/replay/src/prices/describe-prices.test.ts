import { expect, test } from 'vitest'
import { describePrices } from './describe-prices.ts'
import { PRICE_PRESETS } from './presets.ts'

test('the table for help texts', () => {
  const [head, ...lines] = describePrices().split('\n')
  const rows = lines.slice(0, -1)
  expect(head).toMatch(/^ {2} +input {2}cached +write {2}output {2}lifetime +least {2}caching$/)
  expect(rows.map(row => row.trim().split(/\s+/)[0])).toEqual(Object.keys(PRICE_PRESETS))
  expect(rows[0]).toMatch(/^ {2}claude-haiku-4-5 +\$1 +0\.1 +1\.25 +5 +5 min +4096 {2}breakpoints$/)
  expect(rows.find(row => row.includes('local'))).toContain('∞')
  expect(rows.find(row => row.includes('uncached'))).toMatch(/\$1 +– +– +5 +– +– {2}none$/)
  expect(new Set(rows.map(row => row.search(/(automatic|breakpoints|none)$/)))).toHaveProperty('size', 1)
  expect(Math.max(...[head!, ...lines].map(line => line.length))).toBeLessThanOrEqual(110)
  expect(lines.at(-1)).toContain('anthropic = claude-haiku-5-5')
})
