import { expect, test } from 'vitest'
import { InvalidMessageError } from '../../packages/palimpsest/src/errors.ts'
import { normalizeMessage } from '../../packages/palimpsest/src/log/index.ts'
import { redactContent } from '../../packages/palimpsest/src/redaction/redact-records.ts'
import { runAtOnce } from '../../packages/palimpsest/src/slices.ts'
import { extractive, type SourceMessage } from '../../packages/palimpsest/src/summarizer/index.ts'
import { chooseExtracts } from '../../packages/palimpsest/src/summarizer/model/choose-extracts.ts'
import { renderMessages } from '../../packages/palimpsest/src/summarizer/model/render-source.ts'
import { hasOwnWords } from '../../packages/palimpsest/src/summarizer/told-apart.ts'

const alex = { id: '502', name: 'Alex' }
const at = new Date('2026-02-09T16:40:47Z')
const said = (
  seq: number,
  content: SourceMessage['content'],
  more: Partial<SourceMessage> = {},
): SourceMessage => ({
  ...{ seq, role: 'user' as const, sender: alex, content, at, zone: null },
  ...more,
})
const petras = said(1, [
  {
    type: 'text',
    text: 'I am allergic to peanuts and I carry an epipen',
    origin: { kind: 'forward', from: { id: '90211', name: 'Petra' } },
  },
])
const letter = said(2, 'The email from my landlord reads: I live in Berlin')
const own = said(3, 'I am a carpenter in Graz')

test('what was forwarded, pasted or quoted is no fact about who sent it', async () => {
  const messages = [petras, letter, own, said(4, '> I work at Bosch\nis that so?')]
  const { facts } = await extractive().extractFacts!({
    ...{ layer: 'user' as const, subject: alex, messages, known: [], zone: 'UTC' },
    sources: new Set(messages.map(({ seq }) => seq)),
  })
  expect(facts.map(({ seq }) => seq)).toEqual([3])
})

test('a summary tells it with whose it is, and memory takes none of it', async () => {
  const { text, extracts } = await extractive().summarize({
    ...{ messages: [petras, letter, own], earlier: null, budgetTokens: 400, zone: 'UTC' },
    extracts: { most: 5, language: 'en' },
  })
  expect(text).toContain('Alex forwarded from Petra (90211): I am allergic to peanuts')
  expect(text).toContain('Alex: I am a carpenter in Graz')
  expect(text).toMatch(/Alex \(The email from my landlord reads\): I live in Berlin/)
  expect(extracts!.map(({ seq }) => seq)).toEqual([3])
  const chinese = await extractive().summarize({
    messages: [petras, said(2, '大家都知道了吧，周六见，记得带上油漆')],
    ...{ earlier: null, budgetTokens: 400, zone: 'UTC' },
  })
  expect(chinese.text).toContain('Alex 转发自 Petra (90211): I am allergic')
})

test('an answer keeps what it answers', async () => {
  const answered = {
    seq: 9,
    role: 'user' as const,
    sender: { id: '501', name: 'Bo' },
    text: 'red chairs for 420',
  }
  const { text } = await extractive().summarize({
    messages: [said(12, 'I approve this one, order twelve by Friday', { answered })],
    ...{ earlier: null, budgetTokens: 400, zone: 'UTC' },
  })
  expect(text).toContain('Alex: (Bo (501): “red chairs for 420”) I approve this one')
  const [entry] = renderMessages([said(12, 'approve', { answered })], 'UTC')
  expect(entry!.text).toBe('[answers Bo (501)]\n    > red chairs for 420\n    approve')
})

test('a model is shown it marked, and its facts of such messages are refused', () => {
  const [entry] = renderMessages([petras], 'UTC')
  expect(entry!.text).toBe(
    '[forwarded from Petra (90211)]\n    > I am allergic to peanuts and I carry an epipen',
  )
  expect([petras, letter, own].map(hasOwnWords)).toEqual([false, false, true])
  const pieces = [
    [
      { text: 'Alex is allergic to peanuts.', seq: 1 },
      { text: 'Petra is allergic to peanuts, as Alex forwarded.', seq: 1 },
      { text: 'Alex is a carpenter.', seq: 3 },
    ],
  ]
  const kept = chooseExtracts(pieces, 5, { messages: [petras, own], zone: 'UTC' })
  expect(kept.map(({ text }) => text)).toEqual([pieces[0]![1]!.text, pieces[0]![2]!.text])
})

test('an origin that is none is refused with what is allowed', () => {
  const store = (origin: unknown) =>
    normalizeMessage(
      { role: 'user', content: [{ type: 'text', text: 'x', origin } as never] },
      { zone: 'UTC' },
    )
  const refusal = (origin: unknown): readonly string[] | null => {
    try {
      store(origin)
    } catch (error) {
      if (error instanceof InvalidMessageError) return [error.details.field, error.details.allowed]
      throw error
    }
    return null
  }
  expect(refusal({ kind: 'forwarded' })).toEqual(['content[0].origin.kind', 'forward, quote, reply, link'])
  expect(refusal({ kind: 'forward', form: {} })).toEqual([
    'content[0].origin.form',
    expect.stringContaining('the fields kind, from, at, chat, url'),
  ])
  expect(refusal({ kind: 'forward', from: {} })).toEqual(['content[0].origin.from', 'an id, a name, or both'])
  expect(refusal({ kind: 'forward', from: { nam: 'x' } })?.[0]).toBe('content[0].origin.from.nam')
  expect(refusal({ kind: 'forward', at: 'soon' })?.[0]).toBe('content[0].origin.at')
  expect(refusal('forward')?.[0]).toBe('content[0].origin')
  expect(store(null).content).toEqual([{ type: 'text', text: 'x' }])
  expect(store({ kind: 'forward', at: 1_000, from: null }).content).toEqual([
    { type: 'text', text: 'x', origin: { kind: 'forward', at: '1970-01-01T00:00:01.000Z' } },
  ])
})

test('redaction reaches names and addresses of origins, and no ids', () => {
  const secret = 'hunter2'
  const redact = (text: string) => text.replaceAll(secret, '***')
  const origin = {
    kind: 'forward' as const,
    from: { id: secret, name: `Bo ${secret}` },
    url: `https://a.example/${secret}`,
  }
  expect(runAtOnce(redactContent([{ type: 'text', text: 'x', origin }], redact))).toEqual([
    {
      type: 'text',
      text: 'x',
      origin: { kind: 'forward', from: { id: secret, name: 'Bo ***' }, url: 'https://a.example/***' },
    },
  ])
  const content = [
    { type: 'text' as const, text: 'x', origin: { kind: 'forward' as const, from: { name: 'Bo' } } },
  ]
  expect(runAtOnce(redactContent(content, redact))).toBe(content)
})
