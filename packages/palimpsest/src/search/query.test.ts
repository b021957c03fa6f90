import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuery } from './query.ts'

function sought(query: string): string[] {
  return parseQuery(query)
    .terms.filter(({ weight }) => weight > 0)
    .map(({ term, prefix, required }) => `${term}${prefix ? '*' : ''}${required ? '!' : ''}`)
}

test.each([
  ['When did Caroline go to the support group?', ['carolin', 'go', 'support', 'group']],
  ["Who doesn't know them?", ['know']],
  ['Who won?', ['win']],
  ['who are you', ['who', 'be', 'you']],
  ['京', ['京*']],
  ['北京', ['北京']],
  ['北京市', ['北京', '京市']],
  ['𠀀', ['𠀀*']],
  ['用RAG', ['用*', 'rag']],
  ['"Support  Group" and food', ['support!', 'group!', 'food']],
  ['"to be" or food', ['to!', 'be!', 'food']],
  ['“北京” „Straße“ «mot» 「京」', ['北京!', 'strass!', 'mot!', '京*!']],
  ['"unbalanced', ['unbalanc']],
  ['“unbalanced text', ['unbalanc', 'text']],
  ['👍', ['👍']],
])('%j seeks %j', (query, terms) => {
  expect(sought(query)).toEqual(terms)
})

test.each(['', ' ', '?', '...', '"', '""', '“”', '\0', '\ud800'])('nothing can be sought with %j', query => {
  expect(parseQuery(query)).toMatchObject({ terms: [], phrases: [], verbatim: [] })
})

test.each([
  ['see ABC-1234, or v1.2.3.', ['abc-1234', 'v1.2.3']],
  ['https://example.com/a?b=1', ['https://example.com/a?b=1']],
  ['me@example.com', ['me@example.com']],
  ['C++ or C#?', ['c++', 'c#']],
  ["Caroline's well-known and/or week,as", []],
  ['some_name', ['some_name']],
  ['智能助手 北京', ['智能助手']],
  ['用RAG-2.0做', ['rag-2.0']],
  ['"ABC-1234"', []],
])('%j is best found verbatim by %j', (query, verbatim) => {
  expect(parseQuery(query).verbatim).toEqual(verbatim)
})

test.each([
  ['libdvdcss2', true],
  ['dual boot', true],
  ['预算', true],
  ['where is it', false],
  ['budget?', false],
  ['one two three four', false],
])('whether %j is keywords: %s', (query, isKeywords) => {
  expect(parseQuery(query).isKeywords).toBe(isKeywords)
})

test('the words of a date count less, and may be all there is', () => {
  const query = parseQuery('Paris in May 2023')
  expect(query.terms.filter(({ weight }) => weight === 1).map(({ term }) => term)).toEqual(['pari'])
  expect(query).toMatchObject({ dates: [{ year: 2023, month: 5, day: null }], onlyDates: false })
  expect(parseQuery('in May 2023').onlyDates).toBe(true)
})

const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff }).map(codePoint => String.fromCodePoint(codePoint))

test('any query is read, however long', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), query => {
      const { terms } = parseQuery(query)
      expect(terms.length).toBeLessThanOrEqual(65)
      const keys = terms.map(({ term, prefix }) => `${term} ${prefix}`)
      expect(new Set(keys).size).toBe(keys.length)
    }),
  )
  for (const piece of ['“', '"', '汉', 'a ', '1月', '2023-', 'a-', '\ud800']) {
    const begin = performance.now()
    parseQuery(piece.repeat(500_000))
    expect(performance.now() - begin).toBeLessThan(10_000)
  }
})
