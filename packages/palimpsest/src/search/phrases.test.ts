import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runAtOnce } from '../slices.ts'
import { refine } from './phrases.ts'
import { parseQuery, type SearchQuery } from './query.ts'

const refined = (...request: Parameters<typeof refine>) => runAtOnce(refine(...request))

/** What is left of one message with a score of 1. */
const scoreOf = (text: string, query: SearchQuery) =>
  refined([{ seq: 1, score: 1 }], () => text, query)[0]?.score
const matchesPhrases = (text: string, query: SearchQuery) => scoreOf(text, query) !== undefined
const verbatimMatches = (text: string, query: SearchQuery) => scoreOf(text, query)! - 1

test.each([
  ['a party', '"art"', false],
  ['arty art', '"art"', true],
  ['The  Art\r\nof war', '"art of"', true],
  ['art, of', '"art of"', false],
  ['在北京的', '「京的」', true],
  ['CAFÉ au lait', '"cafe au"', true],
  ['one and two', '"one" "two"', true],
  ['one and two', '"one" "three"', false],
  ['anything', 'no phrase', true],
  ['party 👍👍', '"👍"', true],
])('%j with %s: %s', (text, query, matches) => {
  expect(matchesPhrases(text, parseQuery(query))).toBe(matches)
})

test('how much stands verbatim in a text', () => {
  const query = parseQuery('ABC-1234 or v1.2.3')
  expect(verbatimMatches('see ABC-1234.', query)).toBe(0.5)
  expect(verbatimMatches('abc-12345, v1.2.30', query)).toBe(0)
  expect(verbatimMatches('anything', parseQuery('food'))).toBe(0)
})

test('texts decide last', () => {
  const texts = ['', 'ABC 1234', 'ABC-1234', 'x']
  const ranked = [3, 1, 2].map((seq, place) => ({ seq, score: 3 - place / 10 }))
  expect(refined(ranked, seq => texts[seq]!, parseQuery('abc-1234')).map(({ seq }) => seq)).toEqual([2, 3, 1])
  expect(refined(ranked, seq => texts[seq]!, parseQuery('"abc"')).map(({ seq }) => seq)).toEqual([1, 2])
  expect(refined(ranked, () => '', parseQuery('abc'))).toEqual(ranked)
})

test('every passage between spaces is found in its text', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'É', '京', '好', '.', '-'), minLength: 1 })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.nat(), fc.nat(), (words, one, other) => {
      const [from, to] = [one % words.length, other % words.length].toSorted((a, b) => a - b)
      const phrase = words.slice(from, to! + 1).join(' ')
      expect(matchesPhrases(words.join('\n '), parseQuery(`"${phrase}"`))).toBe(true)
    }),
  )
})

test('long texts and phrases take a moment', () => {
  for (const piece of ['a', '汉', 'a ', 'ab']) {
    const begin = performance.now()
    const query = parseQuery(`"${piece.repeat(300)}b" "${piece}"`)
    matchesPhrases(piece.repeat(1_000_000 / piece.length), query)
    expect(performance.now() - begin).toBeLessThan(30_000)
  }
})

test('of a long text the same is found as of a short one, wherever a piece of it ends', () => {
  const words = ['Straße', '  ', '\n', 'e\u0301', '漢字', 'harbour café', '😀']
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 40 }),
      fc.nat(20_000),
      (list, at) => {
        const before = `${'x'.repeat(at)} `
        const text = `${before}${list.join(' ')} ${'y '.repeat(40_000)}`
        const phrase = list.join(' ').trim()
        if (phrase !== '') expect(matchesPhrases(text, parseQuery(`"${phrase}"`))).toBe(true)
        expect(matchesPhrases(text, parseQuery('"not there"'))).toBe(false)
      },
    ),
    { numRuns: 60 },
  )
})
