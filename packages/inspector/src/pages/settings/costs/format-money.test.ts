import { expect, test } from 'vitest'
import { formatMoney } from './format-money.ts'

test('money, with the symbol of the price list', () => {
  expect([0, 12.345, 1, 0.5, 0.00612, 0.000099].map(value => formatMoney(value, '$'))).toEqual([
    '$0',
    '$12.35',
    '$1.00',
    '$0.50',
    '$0.0061',
    '$0.000099',
  ])
})
