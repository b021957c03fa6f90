import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../log/index.ts'
import { whoSpeaks } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { firstDay, linesAsMessages, namingTokens, verbatimLines } from './segment-lines.ts'
import { chunks, partsOf, rawTokens, tokensOf } from './source.ts'

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

test('what is kept verbatim takes no more than the messages themselves, and says all of it', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          text: fc.array(fc.constantFrom('ok', 'yes', 'lemons', '好', '42', '😀'), {
            minLength: 1,
            maxLength: 6,
          }),
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
        const who = whoSpeaks(messages)
        const naming = namingTokens(messages, { who, byRoles: true })
        const tokens = rawTokens(messages, 'private') + naming
        const fits = (text: string) => estimateTokens(text) <= tokens
        const lines = verbatimLines(messages, { zone: 'UTC', who, byRoles: true, fits })
        expect(estimateTokens(lines)).toBeLessThanOrEqual(tokens)
        for (const { text } of drawn) expect(lines).toContain(text.join(' '))
      },
    ),
  )
})

test('where the days do not fit, they are merged', () => {
  const messages = Array.from({ length: 4 }, (_, index) => message(index + 1, `lemons ${index}`))
  const within = (tokens: number) =>
    verbatimLines(messages, { zone: 'UTC', fits: text => estimateTokens(text) <= tokens })
  expect(within(100)).toMatch(/^- 2026-01-02 Ann: lemons 0\n- 2026-01-03 Ann: lemons 1\n/)
  expect(within(36)).toBe('- 2026-01-02–2026-01-05 Ann: lemons 0 / lemons 1 / lemons 2 / lemons 3')
  expect(within(22)).toBe('- Ann: lemons 0 / lemons 1 / lemons 2 / lemons 3')
  expect(firstDay(within(36))).toEqual(new Date('2026-01-02T12:00:00Z'))
  expect(linesAsMessages(within(36), new Date(0), whoSpeaks(messages))).toMatchObject([
    { sender: { id: 'Ann', name: 'Ann' }, content: 'lemons 0 / lemons 1 / lemons 2 / lemons 3' },
  ])
})

test('where not all of them fit, messages go as a whole: what is left of a refusal would be a promise', () => {
  const messages = [
    message(1, 'I will not under any circumstances pay 640 euros to Hanssen.', 'Rob'),
    message(2, 'Good.', 'Ann'),
  ]
  const within = (tokens: number) =>
    verbatimLines(messages, { zone: 'UTC', fits: text => estimateTokens(text) <= tokens })
  expect(within(60)).toContain('will not')
  for (let tokens = 6; tokens < 60; tokens++) {
    const lines = within(tokens)
    expect(lines.includes('Good.')).toBe(true)
    expect(/pay/.test(lines)).toBe(/will not/.test(lines))
  }
})

test('where there is no room, what stands among them is not quoted a second time, and no quotation is cut', () => {
  const question = message(1, 'We meet at the harbour at seven.', 'Ann')
  const answered = {
    seq: 1,
    role: 'user' as const,
    sender: question.sender,
    text: 'We meet at the harbour at seven.',
  }
  const messages = [
    question,
    message(2, 'Who brings tea?', 'Bob'),
    { ...message(3, 'Book this', 'Cem'), answered },
  ]
  const within = (tokens: number, of = messages) =>
    verbatimLines(of, { zone: 'UTC', fits: text => estimateTokens(text) <= tokens })
  expect(within(200)).toContain('Cem: (Ann: “We meet at the harbour at seven.”) Book this')
  const most = estimateTokens(within(200))
  expect(within(most - 1)).toContain('Ann: We meet at the harbour at seven.')
  expect(within(most - 1)).toContain('Cem: Book this')
  for (let tokens = 5; tokens < most; tokens++) expect(within(tokens)).not.toContain('…')
  // What does not stand among them is quoted as long as there is room.
  expect(within(60, messages.slice(1))).toContain('(Ann: “We meet at the harbour at seven.”) Book this')
})

test('a message that says nothing leaves no line', () => {
  const said = ['', ' \n', '\u200b', 'tea'].map((text, index) => message(index + 1, text))
  const thought = { ...message(5, ''), content: [{ type: 'reasoning' as const, text: 'hm' }] }
  expect(verbatimLines([...said, thought], { zone: 'UTC', fits: () => true })).toBe('- 2026-01-05 Ann: tea')
  expect(verbatimLines([...said.slice(0, 3), thought], { zone: 'UTC', fits: () => true })).toBe('')
})

test('what is kept verbatim is read back as it was: whatever it says, it has no other day and no other speaker', () => {
  const words = [
    'ok',
    '2020-01-01 was a good day',
    '9999-99-99 is my number',
    'assistant: I promise',
    '2020-01-01 Bob: hello',
    '- 2020-01-01 x',
  ]
  const names = ['Ann', '2019-05-05 Bob', '2019-55-55', 'Дмитрий Иванович Константинопольский']
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...names)), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.nat(5),
      (drawn, form) => {
        const messages = drawn.map(([text, name], index) => ({
          ...message(index + 1, `${text} no. ${index + 1};`, name),
          at: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 4))),
        }))
        let tries = form
        const who = whoSpeaks(messages)
        const read = linesAsMessages(
          verbatimLines(messages, { zone: 'UTC', who, fits: () => tries-- === 0 }),
          new Date(0),
          who,
        )
        for (const { content, at, role, sender } of messages) {
          const line = read.find(line => (line.content as string).includes(content as string))
          // Only where they do not fit days are merged, or go.
          if (form < 3) expect(line?.at.toISOString().slice(0, 10)).toBe(at.toISOString().slice(0, 10))
          expect(line).toMatchObject({ role, sender: { id: sender!.id } })
        }
      },
    ),
  )
})

test('a day that no calendar has is a number like any other', () => {
  const text = '- 2026-02-30 the code\n- 2026-03-02 Ann: hello\n- 9999-99-99 Bob: my number'
  expect(firstDay(text)).toEqual(new Date('2026-03-02T12:00:00Z'))
  expect(firstDay('- 2026-13-01 x')).toBeNull()
  expect(
    linesAsMessages(text, new Date(0)).map(({ at, content }) => [at.toISOString().slice(0, 10), content]),
  ).toEqual([
    ['1970-01-01', '2026-02-30 the code'],
    ['2026-03-02', 'hello'],
    ['2026-03-02', '9999-99-99 my number'],
  ])
})
