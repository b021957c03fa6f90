import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'
import { parseQuery } from './query.ts'

const STORY =
  'Nothing much at first, as always. The children went to the support group yesterday and it was powerful. ' +
  'Afterwards nothing happened for a very long time, and nobody said why.'

function marked(text: string, query: string, length: number): string {
  const excerpt = excerptOf(text, parseQuery(query), { length })
  let result = ''
  let place = 0
  for (const [from, to] of excerpt.highlights) {
    result += `${excerpt.text.slice(place, from)}[${excerpt.text.slice(from, to)}]`
    place = to
  }
  return result + excerpt.text.slice(place)
}

test.each([
  ['support groups child', '…always. The [children] went to the [support] [group] yesterday and…'],
  ['"support group"', '…children went to the [support group] yesterday and it was…'],
  ['why', '…nothing happened for a very long time, and nobody said [why].'],
  ['zebra', 'Nothing much at first, as always. The children went to the…'],
])('the best passage for %j', (query, excerpt) => {
  expect(marked(STORY, query, 60)).toBe(excerpt)
})

test.each([
  ['我们在北京的助手', '京', '我们在北[京]的助手'],
  ['我们在北京的助手', '北京的', '我们在[北京的]助手'],
  ['Ｃａｆé 👍🏽', 'cafe 👍', '[Ｃａｆé] [👍🏽]'],
  ['a ﬁne day', 'fine', 'a [ﬁne] day'],
  ['one\r\ntwo\tthree\0', 'two', 'one  [two] three'],
  ['  spaces around  ', 'x', 'spaces around'],
  ['', 'x', ''],
  ['\ud800 two', 'two', '\ufffd [two]'],
])('%j for %j', (text, query, excerpt) => {
  expect(marked(text, query, 60)).toBe(excerpt)
})

test('characters stay whole', () => {
  const family = '👨‍👩‍👧‍👦'
  expect(excerptOf(family.repeat(40), parseQuery('x'), { length: 30 }).text).toBe(`${family.repeat(2)}…`)
  expect(excerptOf('e\u0301'.repeat(40), parseQuery('x'), { length: 5 }).text).toBe('e\u0301e\u0301…')
})

const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff }).map(codePoint => String.fromCodePoint(codePoint))

test('excerpts are short and well formed, and highlights lie in them in order', () => {
  const piece = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('needle ', '北京', 'ﬁ', '👍🏽', ' ', 'é', 'e\u0301'),
  )
  const query = parseQuery('needle 北京 京 👍 fi "needle needle" e')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 10, max: 60 }), (pieces, length) => {
      const text = pieces.join('')
      const excerpt = excerptOf(text, query, { length })
      expect(excerpt.text.length).toBeLessThanOrEqual(length + 2)
      expect(excerpt.text.isWellFormed()).toBe(true)
      let end = -1
      for (const [from, to] of excerpt.highlights) {
        expect(from).toBeGreaterThan(end)
        expect(to).toBeGreaterThan(from)
        end = to
      }
      expect(end).toBeLessThanOrEqual(excerpt.text.length)
    }),
  )
})

test('a match anywhere in a long text is shown', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.nat(300), (before, after) => {
      const text = `${'word '.repeat(before)}needle${' word'.repeat(after)}`
      const { text: shown, highlights } = excerptOf(text, parseQuery('needles'), { length: 40 })
      expect(highlights.map(([from, to]) => shown.slice(from, to))).toEqual(['needle'])
    }),
  )
})

test.each(['a', '汉', 'ë', '👍', 'a ', 'needle '])('a megabyte of %j takes a moment', piece => {
  const begin = performance.now()
  excerptOf(piece.repeat(1_000_000 / piece.length), parseQuery('needle a 汉 "a a b" 👍'), { length: 160 })
  expect(performance.now() - begin).toBeLessThan(30_000)
})
