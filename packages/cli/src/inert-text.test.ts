import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inertLine, inertLines, inertText } from './inert-text.ts'

test('what could move the cursor, or the order of what is read, is shown by its number', () => {
  expect(inertLine('a\u001b[2Jb\nc')).toBe('a\\u{1b}[2Jb\\u{a}c')
  expect(inertLine('\u202eevil\u202c \u2066x\u2069 \u200e\u200f')).toBe(
    '\\u{202e}evil\\u{202c} \\u{2066}x\\u{2069} \\u{200e}\\u{200f}',
  )
})

test('lines stay lines', () => {
  expect(inertLines('one\n\ttwo\u0007\u202e')).toBe('one\n\\u{9}two\\u{7}\\u{202e}')
  expect(inertText('one\n\ttwo\u0007')).toBe('one\n\ttwo\\u{7}')
  expect(inertText('one\u2028two\u0085')).toBe('one\\u{2028}two\\u{85}')
})

test('text without such characters is left alone, and joiners and scripts that run leftwards too', () => {
  const inert = fc
    .string({ unit: 'grapheme' })
    .filter(text => !/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text))
  fc.assert(
    fc.property(inert, text => {
      expect(inertLine(text)).toBe(text)
      expect(inertLines(text)).toBe(text)
    }),
    { examples: [['👩‍👩‍👧 می‌خواهم שלום']] },
  )
})
