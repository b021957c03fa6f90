import { expect, test } from 'vitest'
import { rankSentences } from './textrank.ts'

test('the sentence that the others lean on comes first', () => {
  const sentences = [
    'Good morning, how are you?',
    'The harbour bridge is closed for repairs.',
    'Repairs of the harbour bridge make the ferry late every day.',
    'The ferry is full.',
    'My sister bought yellow curtains.',
  ]
  const [first, ...rest] = rankSentences(sentences)
  expect(first).toBe(2)
  // Nothing is said of these by any other: they stay in their order, at the end.
  expect(rest.slice(-2)).toEqual([0, 4])
})

test('of two that share as much with the rest, the shorter one', () => {
  const sentences = ['Boats are what Ann sells in winter.', 'Ann paints boats.', 'Ann is away until Easter.']
  expect(rankSentences(sentences)[0]).toBe(1)
})

test('what has no words, or no neighbours, is ranked all the same', () => {
  expect(rankSentences([])).toEqual([])
  expect(rankSentences(['!', '', 'one', 'one'])).toEqual([0, 1, 2, 3])
  const many = Array.from({ length: 2_500 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  expect(rankSentences(many)).toEqual([...many.keys()])
})
