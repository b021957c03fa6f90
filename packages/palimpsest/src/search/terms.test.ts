import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countTerms } from './terms.ts'

function termsOf(text: string): string[] {
  return [...countTerms(text).keys()]
}

test.each([
  ['The children bought books', ['the', 'child', 'bui', 'book']],
  ['using used us his hi', ['use', 'us', 'his', 'hi']],
  ["I don't know, she'd won't", ['i', 'do', 'know', 'she', 'will']],
  ["O'Brien's café", ['o', 'brien', 'cafe']],
  ['ABC-1234 v1.2.3', ['abc', '1234', 'v1', '2', '3']],
  ['a_b@example.com', ['a', 'b', 'exampl', 'com']],
  ['我们在北京', ['我们', '们在', '在北', '北京', '京']],
  ['用RAG做', ['用', 'rag', '做']],
  ['ラーメン', ['ラー', 'ーメ', 'メン', 'ン']],
  ['한국어', ['한국', '국어', '어']],
  ['ไทย', ['ไท', 'ทย', 'ย']],
  ['𠀀𠀁', ['𠀀𠀁', '𠀁']],
  ['👍🏽 👨‍👩‍👧', ['👍', '👨', '👩', '👧']],
  ['🇩🇪🇫🇷', ['🇩🇪', '🇫🇷']],
  ['…!? \r\n\0', []],
  ['', []],
])('%j is found by %j', (text, terms) => {
  expect(termsOf(text)).toEqual(terms)
})

test('repeats are counted', () => {
  expect(countTerms('go, went, gone: Paris').get('go')).toBe(3)
})

test.each([
  ['Where to?', true],
  ['真的吗？', true],
  ['Why?! :)', true],
  ['Why? I see.', false],
  ['see https://example.com/?q=1', false],
  ['Fine', false],
])('whether %j ends by asking is marked: %s', (text, asks) => {
  expect(countTerms(text).has('?')).toBe(asks)
})

const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff }).map(codePoint => String.fromCodePoint(codePoint))

test('a term is short, and PostgreSQL can hold it', () => {
  const pieces = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('a'.repeat(70), '𝒜'.repeat(40), '\0'),
  )
  fc.assert(
    fc.property(fc.array(pieces), texts => {
      for (const term of termsOf(texts.join(''))) {
        expect(term.length).toBeGreaterThan(0)
        expect(term.length).toBeLessThanOrEqual(64)
        expect(term.isWellFormed()).toBe(true)
        expect(term).not.toContain('\0')
      }
    }),
  )
})

test('long words are cut between characters', () => {
  expect(termsOf(`x${'𐐀'.repeat(40)}`)).toEqual([`x${'𐐨'.repeat(31)}`])
})

test.each(['a', '汉', 'ë', '👍', 'a ', "'s", 'y', 'Σ', 'e\u0301', '\ud800', '?', '🇩'])(
  'a megabyte of %j takes no more than a moment',
  piece => {
    const text = piece.repeat(1_000_000 / piece.length)
    const begin = performance.now()
    countTerms(text)
    expect(performance.now() - begin).toBeLessThan(30_000)
  },
)
