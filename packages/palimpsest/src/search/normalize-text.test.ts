import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeText, normalizeWithOrigins } from './normalize-text.ts'

test.each([
  ['Café Ñandú', 'cafe nandu'],
  ['cafe\u0301', 'cafe'],
  ['ÅØÆ Straße Łódź', 'aoae strasse lodz'],
  ['ＡＢＣ１２３', 'abc123'],
  ['ﾊﾞｰｺｰﾄﾞ', 'バーコード'],
  ['İstanbul', 'istanbul'],
  ['ΣΟΦΟΣ σοφός', 'σοφοσ σοφόσ'],
  ['Ёлка й', 'ёлка й'],
  ['👍🏽 ❤️', '👍 ❤'],
  ['Palimpsest™', 'palimpsest '],
  ['it’s', "it's"],
  ['\ud800x', '\ufffdx'],
])('%j is compared as %j', (text, normalized) => {
  expect(normalizeText(text)).toBe(normalized)
})

const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff }).map(codePoint => String.fromCodePoint(codePoint))

test('every unit of a normalised text leads back to where it comes from', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), text => {
      const { text: normalized, origins } = normalizeWithOrigins(text)
      expect(normalized).toBe(normalizeText(text))
      expect(origins).toHaveLength(normalized.length + 1)
      expect(origins.at(-1)).toBe(text.length)
      expect(origins).toEqual(origins.toSorted())
    }),
  )
})

test('a text and its parts normalise alike', () => {
  expect(normalizeWithOrigins('aﬁne ｂ').origins).toEqual(Uint32Array.of(0, 1, 1, 2, 3, 4, 5, 6))
})
