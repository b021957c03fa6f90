import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../log/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { verbatimLinesWithin } from './segment-lines.ts'
import { chunks, partsOf, tokensOf } from './source.ts'

function message(seq: number, content: string, name = 'Ann'): Message {
  const at = new Date(Date.UTC(2026, 0, 1 + seq))
  return {
    id: `s/${seq}`,
    seq,
    role: 'user',
    content,
    sender: { id: name, name },
    at,
    appendedAt: at,
    zone: null,
    externalId: null,
    replyTo: null,
    version: 1,
    archived: false,
  }
}

test('chunks hold every message once, in order, and none is larger than it may be', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 20, max: 400 }),
      (lengths, most) => {
        const messages = lengths.map((length, index) => message(index + 1, 'word '.repeat(length)))
        const all = chunks(messages, most)
        expect(all.flat()).toEqual(messages)
        for (const chunk of all) {
          expect(chunk.length).toBeGreaterThan(0)
          if (chunk.length > 1) expect(tokensOf(chunk)).toBeLessThanOrEqual(most)
        }
      },
    ),
  )
})

test('what is just too much for one chunk is halved, and leaves no crumb', () => {
  const sizes = chunks(
    Array.from({ length: 101 }, (_, index) =>
      message(index, 'ten words that are about as long as these are'),
    ),
    tokensOf([message(1, 'ten words that are about as long as these are')]) * 100,
  ).map(chunk => chunk.length)
  expect(Math.min(...sizes)).toBeGreaterThan(40)
})

test('a message larger than a call comes in parts that fit, whole and never half a character', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word ', '柠檬', '😀', 'x9_'), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 120, max: 400 }),
      (pieces, most) => {
        const text = pieces.join('')
        const { parts, isWhole } = partsOf(message(1, text), most)
        for (const part of parts) {
          expect(estimateTokens(part.content as string)).toBeLessThanOrEqual(most)
          expect((part.content as string).isWellFormed()).toBe(true)
        }
        if (isWhole) expect(parts.map(part => part.content).join('')).toBe(text)
      },
    ),
  )
  const { parts, isWhole } = partsOf(message(1, `first ${'word '.repeat(20_000)} last`), 200)
  expect([parts.length, isWhole]).toEqual([8, false])
  expect(parts[0]!.content).toMatch(/^first/)
  expect(parts.at(-1)!.content).toMatch(/last$/)
})

test('what is kept verbatim takes no more than what it stands for and its days, and says all of it', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          text: fc.array(fc.constantFrom('ok', 'yes', 'lemons', '好', '42'), { minLength: 1, maxLength: 6 }),
          name: fc.constantFrom('Ann', 'Bob', 'Дмитрий Иванович'),
          day: fc.constantFrom(1, 2),
        }),
        { minLength: 1, maxLength: 20 },
      ),
      drawn => {
        const messages = drawn.map(({ text, name, day }, index) => ({
          ...message(index + 1, text.join(' '), name),
          at: new Date(Date.UTC(2026, 0, day + Math.floor(index / 3))),
        }))
        const tokens = tokensOf(messages)
        const lines = verbatimLinesWithin(messages, 'UTC', tokens)
        const days = new Set(messages.map(({ at }) => at.toISOString().slice(0, 10)))
        expect(estimateTokens(lines)).toBeLessThanOrEqual(tokens + days.size * 10)
        for (const day of days) expect(lines).toContain(day)
        for (const { text } of drawn) expect(lines).toContain(text.join(' '))
      },
    ),
  )
})
