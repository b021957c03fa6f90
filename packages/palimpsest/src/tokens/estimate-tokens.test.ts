import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from './estimate-tokens.ts'

const readSample = (name: string) => readFileSync(new URL(`./samples/${name}.txt`, import.meta.url), 'utf8')

function relativeError(text: string): number {
  return Math.abs(estimateTokens(text) / countTokens(text) - 1)
}

/** Bytes that look random and are the same on every run. */
function makeBytes(length: number): Buffer {
  let state = 7
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 24
    }),
  )
}

describe('estimateTokens against o200k_base', () => {
  it.each(['english', 'chinese', 'japanese', 'typescript', 'python', 'json', 'markdown', 'mixed'])(
    'is within 10%% on %s',
    name => {
      expect(relativeError(readSample(name))).toBeLessThan(0.1)
    },
  )

  it('is within 10% on JSON, compact or indented', () => {
    const value: unknown = JSON.parse(readSample('json'))
    expect(relativeError(JSON.stringify(value))).toBeLessThan(0.1)
    expect(relativeError(JSON.stringify(value, null, 2))).toBeLessThan(0.1)
  })

  it.each(['korean', 'russian'])('is within 20%% on %s', name => {
    expect(relativeError(readSample(name))).toBeLessThan(0.2)
  })

  it.each([
    ['base64', makeBytes(600).toString('base64')],
    ['hex', makeBytes(400).toString('hex')],
    ['numbers', Array.from(makeBytes(200), byte => byte * 977).join(' ')],
    ['emoji', '😀 😂 👍🏽 🎉🎉 ❤️ 🚀 👨‍👩‍👧 🇩🇪 🤔 🙏 🔥 ✨ 😅 🥲 👏👏👏 🐈 🌧️ 🍜 😭😭 💡'.repeat(5)],
    [
      'links',
      [
        'https://www.example.com/blog/2024/11/how-to-repair-a-bicycle-tube?utm_source=newsletter&utm_medium=email',
        'https://github.com/example/project/blob/main/packages/core/src/index.ts#L120-L148',
        'https://cdn.example.net/assets/img/9f86d081884c7d65/thumb_640x480.webp?v=1718203948',
        'http://localhost:5173/settings/profile?tab=security&returnTo=%2Fdashboard%2Fteam',
        'https://maps.example.org/place/Caf%C3%A9+Central/@48.2103,16.3655,17z/data=!3m1!4b1',
      ].join('\n'),
    ],
  ])('is within 20%% on %s', (_, text) => {
    expect(relativeError(text)).toBeLessThan(0.2)
  })

  it('is within 15% for the messages of a chat taken one by one', () => {
    const messages = readSample('mixed').trim().split('\n')
    const estimated = messages.reduce((sum, message) => sum + estimateTokens(message), 0)
    const counted = messages.reduce((sum, message) => sum + countTokens(message), 0)
    expect(Math.abs(estimated / counted - 1)).toBeLessThan(0.15)
  })
})

describe('estimateTokens', () => {
  it('is 0 for nothing and at least 1 for anything', () => {
    expect(estimateTokens('')).toBe(0)
    for (const text of ['a', ' ', '\n', '.', '1', '\0', '\ud800', '\udc00', '的', '😀'])
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(1)
  })

  it.each([
    ['one letter', 'a'],
    ['capitals', 'A'],
    ['alternating case', 'aB'],
    ['spaces', ' '],
    ['line breaks', '\n'],
    ['dashes', '-'],
    ['apostrophes', "a'"],
    ['digits', '7'],
    ['Han', '汉字'],
    ['Thai', 'ก'],
    ['emoji', '😀'],
    ['lone surrogates', '\ud83d'],
    ['base64', makeBytes(750).toString('base64')],
  ])('goes through a megabyte of %s without a break, and grows in proportion', (_, unit) => {
    const hundredth = unit.repeat(Math.ceil(10_000 / unit.length))
    const whole = estimateTokens(hundredth.repeat(100))
    expect(whole).toBeLessThanOrEqual(estimateTokens(hundredth) * 101 + 100)
    expect(whole).toBeLessThanOrEqual(hundredth.length * 200)
    expect(whole).toBeGreaterThanOrEqual(1)
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map(codes => String.fromCharCode(...codes)),
    fc
      .array(
        fc.constantFrom(
          'a',
          'Word',
          'XML',
          ' ',
          '\n',
          '42',
          '.',
          "'s",
          '——',
          '汉字',
          'カナ',
          'é',
          '🙂',
          '\ud83d',
        ),
      )
      .map(parts => parts.join('')),
  )

  it('is a whole number, not negative and not above 3 per code unit, for any text', () => {
    fc.assert(
      fc.property(anyText, text => {
        const tokens = estimateTokens(text)
        expect(Number.isSafeInteger(tokens)).toBe(true)
        expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1)
        expect(tokens).toBeLessThanOrEqual(text.length * 3 + 1)
      }),
    )
  })

  it('forgets what came before within a few pieces', () => {
    const pieces = ['Abcdefgh', 'Ab', 'cD', 'longerword', 'x9', ' word', 'Ünï', '-id', '42']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }), unit => {
        const text = unit.join('').repeat(200)
        for (const before of ['aB3dE5', 'é', '🙂', '的', '9', '-'])
          expect(estimateTokens(before + text)).toBeLessThanOrEqual(estimateTokens(text) + 30)
      }),
    )
  })

  it('costs hardly more for two texts joined than for the two apart', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        expect(estimateTokens(left + right)).toBeLessThanOrEqual(
          estimateTokens(left) + estimateTokens(right) + 20,
        )
      }),
    )
  })
})
