import { expect, test } from 'vitest'
import { highlightPieces } from './highlight-pieces.ts'

const show = (text: string, highlights: readonly (readonly [number, number])[]) =>
  highlightPieces(text, highlights)
    .map(piece => (piece.isMarked ? `[${piece.text}]` : piece.text))
    .join('|')

test('marks what the pairs say and keeps every letter', () => {
  expect(show('we ship on Friday', [[3, 7]])).toBe('we |[ship]| on Friday')
  expect(
    show('ship ship', [
      [5, 9],
      [0, 4],
    ]),
  ).toBe('[ship]| |[ship]')
  expect(show('no mark', [])).toBe('no mark')
  expect(show('', [[0, 3]])).toBe('')
})

test('pairs that overlap or fit nowhere lose nothing', () => {
  expect(
    show('abcdef', [
      [1, 4],
      [2, 5],
    ]),
  ).toBe('a|[bcd]|[e]|f')
  expect(
    show('abc', [
      [1, 99],
      [7, 9],
    ]),
  ).toBe('a|[bc]')
  expect(
    show('abc', [
      [2, 1],
      [0, 0],
    ]),
  ).toBe('ab|c')
})
