import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verbatimLines } from '../compaction/segment-lines.ts'
import type { Message } from '../log/index.ts'
import { inertUnderHeadings } from './inert.ts'
import { toldTexts } from './told-texts.ts'

test('what a segment keeps word for word is told, whatever its speaker and its form', () => {
  const text = fc.oneof(
    fc.lorem({ maxCount: 3, mode: 'sentences' }),
    fc.constantFrom(
      'ok',
      '[Ann]: hello',
      'a: b: c',
      'two\nlines',
      '好的，我们周三去。真的吗？',
      '3.5 km, at 12:30',
      '- 2026-01-01 x',
    ),
  )
  const message = fc.record({ text, sender: fc.nat(2), day: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 10 }), fc.nat(5), (said, form) => {
      let tries = form
      const messages = said.map(({ text, sender, day }, index) => ({
        seq: index + 1,
        role: 'user',
        sender: { id: `u${sender}`, name: ['Ann', 'Ben', '王小明'][sender] },
        at: new Date(Date.UTC(2026, 2, day)),
        zone: null,
        content: text,
      })) as unknown as Message[]
      const lines = verbatimLines(messages, { zone: 'UTC', fits: () => tries-- === 0 })
      const isTold = toldTexts([inertUnderHeadings(lines)])
      expect(messages.filter(({ content }) => !isTold(content as string))).toEqual([])
    }),
  )
})

test('what is told in part, in other words or by chance in another word is not', () => {
  const isTold = toldTexts(['- Ann: the book is on the table\n- Ben: It costs 12 EUR. Shall we take it?'])
  expect(isTold('It costs 12 EUR.')).toBe(true)
  expect(isTold('It costs 12 EUR. No!')).toBe(false)
  expect(isTold('It costs 1 EUR')).toBe(false)
  expect(isTold('ok')).toBe(false)
  expect(isTold('on the table')).toBe(false)
})
