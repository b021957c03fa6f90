import { expect, test } from 'vitest'
import {
  formatDifference,
  formatList,
  formatMoney,
  formatPlural,
  formatShare,
  formatTokens,
} from './format.ts'

test.each([
  [0, '$0'],
  [1e-12, '<$0.000000001'],
  [0.00042, '$0.00042'],
  [0.0123456, '$0.0123'],
  [0.1, '$0.10'],
  [0.9994, '$0.999'],
  [0.9996, '$1.00'],
  [1.2345, '$1.23'],
  [123.456, '$123.46'],
  [999.999, '$1,000'],
  [12_345.6, '$12,346'],
  [1_234_567, '$1.23M'],
  [-2.5, '−$2.50'],
])('%d in money is %s', (amount, text) => {
  expect(formatMoney(amount, '$')).toBe(text)
})

test('a currency that is a word stands apart', () => {
  expect(formatMoney(1.5, 'EUR')).toBe('EUR 1.50')
  expect(formatMoney(1.5, '¥')).toBe('¥1.50')
})

test.each([
  [0, '0'],
  [949.6, '950'],
  [999.6, '1k'],
  [1_234, '1.23k'],
  [12_400, '12.4k'],
  [999_700, '1M'],
  [2_500_000, '2.5M'],
])('%d tokens are %s', (tokens, text) => {
  expect(formatTokens(tokens)).toBe(text)
})

test.each([
  [0, '0%'],
  [0.0001, '<0.1%'],
  [0.0005, '0.1%'],
  [0.042, '4.2%'],
  [0.05, '5%'],
  [0.923, '92%'],
  [0.994, '99.4%'],
  [0.9999, '>99.9%'],
  [1, '100%'],
  [25, '2,500%'],
])('a share of %d is %s', (share, text) => {
  expect(formatShare(share)).toBe(text)
})

test.each([
  [1, 1, '±0%'],
  [1.0004, 1, '±0%'],
  [0.9996, 1, '±0%'],
  [1.0006, 1, '+0.1%'],
  [0.9994, 1, '−0.1%'],
  [1.06, 1, '+6%'],
  [0.08, 1, '−92%'],
  [3.2, 1, '3.2×'],
  [250, 1, '250×'],
  [1, 1e-300, '>1,000,000×'],
  [1, 0, null],
])('%d beside %d is %s', (amount, reference, text) => {
  expect(formatDifference(amount, reference)).toBe(text)
})

test('lists and plurals', () => {
  expect(formatList([])).toBe('')
  expect(formatList(['a', 'b', 'c'])).toBe('a, b and c')
  expect(formatPlural(1, 'fold')).toBe('1 fold')
  expect(formatPlural(1_200, 'fold')).toBe('1,200 folds')
})
