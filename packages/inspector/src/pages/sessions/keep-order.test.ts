import { expect, test } from 'vitest'
import { keepOrder } from './keep-order.ts'

test('rows stay where they are, with what is known of them now', () => {
  const shown = [
    { id: 'a', messages: 1 },
    { id: 'b', messages: 1 },
    { id: 'c', messages: 1 },
  ]
  const read = [
    { id: 'new', messages: 1 },
    { id: 'c', messages: 2 },
    { id: 'a', messages: 1 },
  ]
  expect(keepOrder(shown, read)).toEqual([
    { id: 'a', messages: 1 },
    { id: 'b', messages: 1 },
    { id: 'c', messages: 2 },
  ])
})
