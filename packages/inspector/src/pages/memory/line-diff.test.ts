import { expect, test } from 'vitest'
import { changesOnly, type DiffLine, lineDiff } from './line-diff.ts'

const SIGNS = { added: '+', removed: '-', same: ' ' }
const show = (lines: readonly (DiffLine | null)[]) =>
  lines.map(line => (line === null ? '…' : SIGNS[line.kind] + line.text)).join('\n')

test('says which lines came and which went', () => {
  expect(show(lineDiff('a\nb\nc\n', 'a\nx\nc\n'))).toBe(' a\n-b\n+x\n c')
  expect(show(lineDiff('', 'a\nb'))).toBe('+a\n+b')
  expect(show(lineDiff('a\nb', ''))).toBe('-a\n-b')
  expect(show(lineDiff('a\nb', 'a\nb\n'))).toBe(' a\n b')
  expect(lineDiff('', '')).toEqual([])
})

test('lines that repeat are told apart by their place', () => {
  expect(show(lineDiff('a\na\na', 'a\na'))).toBe(' a\n a\n-a')
  expect(show(lineDiff('a\nb\na\nb', 'b\na\nb\na'))).toBe('-a\n b\n a\n b\n+a')
})

test('both texts can be put together again from it', () => {
  const letters = 'abcde'
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % below
  }
  const text = () => Array.from({ length: random(12) }, () => letters[random(letters.length)]).join('\n')
  for (let round = 0; round < 500; round++) {
    const [earlier, later] = [text(), text()]
    const lines = lineDiff(earlier, later)
    const without = (kind: DiffLine['kind']) =>
      lines
        .filter(line => line.kind !== kind)
        .map(line => line.text)
        .join('\n')
    expect(without('added')).toBe(earlier)
    expect(without('removed')).toBe(later)
  }
})

test('very long texts are not compared line by line', () => {
  const long = (sign: string) => Array.from({ length: 5_000 }, (_, line) => `${sign}${line}`).join('\n')
  const lines = lineDiff(`first\n${long('a')}\nlast`, `first\n${long('b')}\nlast`)
  expect(lines).toHaveLength(10_002)
  expect(lines.at(0)).toEqual({ kind: 'same', text: 'first' })
})

test('of what changed, a gap says that lines lie between', () => {
  expect(show(changesOnly(lineDiff('a\nb\nc\nd', 'A\nb\nc\nD')))).toBe('-a\n+A\n…\n-d\n+D')
  expect(show(changesOnly(lineDiff('a\nb', 'a\n\nb\nc')))).toBe('+c')
  expect(changesOnly(lineDiff('a', 'a'))).toEqual([])
})
