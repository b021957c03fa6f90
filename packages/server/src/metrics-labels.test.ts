import { expect, test } from 'vitest'
import { reasonLabel } from './metrics-labels.ts'

test('a fold before a new beginning is counted under its reason', () => {
  expect(reasonLabel('new_beginning')).toBe('new_beginning')
})

test('a reason of a policy of the caller is counted as other', () => {
  expect(reasonLabel('because')).toBe('other')
})
