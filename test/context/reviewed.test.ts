import { afterEach, expect, test } from 'vitest'
import { renderMessage, renderSegment } from '../../packages/palimpsest/src/context/index.ts'
import { inert, inertUnderHeadings } from '../../packages/palimpsest/src/context/inert.ts'
import {
  type Content,
  count,
  createPalimpsest,
  type PalimpsestOptions,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'

/** What a review found, each as it was found. */

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function open(options: Partial<PalimpsestOptions> = {}, place?: StorePlace): Promise<Session> {
  const at = place ?? sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await at.open(), folding: 'manual', ...options })
  cleanUps.push(at.remove, () => palimpsest.close())
  return palimpsest.session('s')
}

test.each(['<', '[', '#', '\n', '\r', '\u2028', ' ', '[a', '< /', '\u200b'])(
  'a megabyte of %j is made harmless in linear time',
  piece => {
    const text = (piece.length === 1 ? `<[${piece}` : '') + piece.repeat(1_000_000 / piece.length)
    const started = performance.now()
    inert(text)
    inertUnderHeadings(text)
    expect(performance.now() - started).toBeLessThan(20_000)
  },
)

test.each<[unknown, string]>([
  [{ type: 'sensor', value: 5, unit: 'kg' }, '{"type":"sensor","value":5,"unit":"kg"}'],
  [[{ type: 'web', url: 'https://example.com/42' }], '[{"type":"web","url":"https://example.com/42"}]'],
  [{ type: 'text', value: 'plain' }, 'plain'],
  [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
  [{ type: 'error-text', value: 'not found' }, '(error) not found'],
  [
    {
      type: 'content',
      value: [
        { type: 'text', text: 'x' },
        { type: 'media', data: 'AAAA' },
      ],
    },
    'x\n(media)',
  ],
])('the result %j reaches the model whole', async (output, text) => {
  const chat = await open()
  await chat.append({ role: 'user', content: 'look' })
  await chat.append({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: '1', toolName: 'look', input: {} }],
  })
  await chat.append({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: '1', toolName: 'look', output }],
  })
  const { messages } = await chat.context()
  expect(messages.at(-1)!.content).toMatchObject([{ output: { value: text } }])
})

test('short details are shown too', () => {
  const segment = {
    fromSeq: 1,
    toSeq: 2,
    summary: 'They spoke at length about the order. '.repeat(3),
    events: [],
    details: ['A-17', '12 EUR'],
  }
  expect(renderSegment(segment)).toContain('Details: A-17 · 12 EUR')
})

test('room for the reply is in the model’s own tokens', async () => {
  const chat = await open({ policy: tokens({ budget: 4_000 }) })
  const talk = smallTalk()
  for (let index = 0; index < 300; index++) await chat.append(talk.next().value)
  const before = await chat.context({ model: 'm' })
  for (let sample = 0; sample < 3; sample++)
    await chat.observeUsage(before, {
      model: 'm',
      inputTokens: Math.round(before.estimatedInputTokens * 0.6),
    })
  await chat.edit(1, 'an epoch begins')
  const { report, estimatedInputTokens } = await chat.context({ model: 'm', outputReserve: 2_000 })
  expect(report.blocks.find(({ name }) => name === 'output_reserve')?.tokens).toBe(2_000)
  expect(estimatedInputTokens * 0.6).toBeLessThanOrEqual(2_000)
})

test('many images, many texts or a long thought in one message leave room for an answer', async () => {
  const image = {
    type: 'image',
    image: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  }
  const contents = [
    Array.from({ length: 30 }, () => image),
    Array.from({ length: 2_000 }, (_, index) => ({ type: 'text', text: `part ${index}` })),
    [
      { type: 'reasoning', text: 'deep '.repeat(30_000) },
      { type: 'text', text: 'Done.' },
    ],
  ]
  for (const content of contents) {
    const chat = await open({ policy: tokens({ budget: 8_000 }) })
    await chat.append({ role: 'user', content: 'Look.' })
    await chat.append({
      role: content.length === 2 ? 'assistant' : 'user',
      content: content as unknown as Content,
    })
    const { report } = await chat.context({ reasoning: 'keep' })
    expect(report.tokens).toBeLessThanOrEqual(8_000)
    expect(report.omitted.length).toBeGreaterThan(0)
  }
})

test('what a context shows does not hang on which process makes it, or what was asked before', async () => {
  const place = sqlitePlace()
  const policy = tokens({ budget: 3_000 })
  const long = await open({ policy }, place)
  const fresh = async () => {
    const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', policy })
    const context = await palimpsest.session('s').context({ outputReserve: 100 })
    await palimpsest.close()
    return context
  }
  for (let turn = 1; turn <= 40; turn++) {
    await long.append({ role: 'user', content: `Look up number ${turn}.` })
    await long.append({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: `c${turn}`, toolName: 'look', input: { turn } }],
    })
    await long.append({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `c${turn}`,
          toolName: 'look',
          output: `row ${turn} `.repeat((turn % 7) * 30),
        },
      ],
    })
    await long.append({ role: 'assistant', content: `Number ${turn} is there.` })
    await long.context({ outputReserve: 101 })
    const { messages, report } = await long.context({ outputReserve: 100 })
    const other = await fresh()
    expect(other.report).toEqual(report)
    expect(other.messages).toEqual(messages)
  }
})

test('a message far larger than the window is read once', async () => {
  const chat = await open({ policy: tokens({ budget: 4_000 }) })
  await chat.append({ role: 'user', content: 'lorem ipsum '.repeat(100_000) })
  const first = await chat.context()
  const second = await chat.context()
  expect(second.messages[0]).toBe(first.messages[0])
})

test('what was appended meanwhile is read only as far as it can be shown', async () => {
  const chat = await open({ policy: tokens({ budget: 2_000 }) })
  const talk = smallTalk()
  await chat.append(talk.next().value)
  await chat.context()
  for (let batch = 0; batch < 5; batch++)
    await chat.append(Array.from({ length: 1_000 }, () => talk.next().value))
  const { report } = await chat.context()
  expect(report.tokens).toBeLessThanOrEqual(2_000)
  expect(report.omitted[0]).toMatchObject({ what: 'messages', fromSeq: 1 })
})

test('a policy that keeps nothing leaves no gap', async () => {
  const chat = await open()
  for (let index = 1; index <= 22; index++) await chat.append({ role: 'user', content: `m${index}` })
  const context = await chat.context({ policy: count({ threshold: 10, keepLast: 0 }) })
  expect(context.sessionMemory).toContain('## Messages 1–21')
  expect(context.messages.at(-1)!.content).toBe('m22')
})

test('another budget by way of a policy unfolds as well', async () => {
  const chat = await open({ policy: tokens({ budget: 4_000 }) })
  const talk = smallTalk()
  for (let index = 0; index < 400; index++) await chat.append(talk.next().value)
  await chat.compact()
  const byBudget = await chat.context({ budget: 100_000 })
  const byPolicy = await chat.context({ policy: tokens({ budget: 100_000 }) })
  expect(byPolicy.messages.length).toBe(byBudget.messages.length)
  expect(byPolicy.messages.length).toBeGreaterThan(390)
})

test('pins that do not fit are reported, and all at once they stay within their limit', async () => {
  const chat = await open({ policy: tokens({ budget: 2_000 }) })
  await chat.append({ role: 'user', content: 'hello' })
  const notes = Array.from({ length: 20 }, (_, index) => chat.note(`note ${index} ${'word '.repeat(60)}`))
  const settled = await Promise.allSettled(notes)
  expect(settled.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(10)
  expect((await chat.pins()).reduce((sum, pin) => sum + pin.tokens, 0)).toBeLessThanOrEqual(500)
  const { report } = await chat.context({ budget: 500 })
  expect(report.omitted).toContainEqual(expect.objectContaining({ what: 'pins' }))
})

test('whoever changes a message of a context is told, and harms no other', async () => {
  const chat = await open()
  await chat.append({ role: 'user', content: 'hello' })
  const { messages } = await chat.context()
  expect(() => Object.assign(messages[0]!, { content: 'changed' })).toThrow(TypeError)
  expect((await chat.context()).messages[0]!.content).toBe('hello')
})

test('no two people look alike', () => {
  const names = [
    { id: '7', name: 'Ann' },
    { id: 'Ann (7)', name: 'Ann (7)' },
    { id: 'Ann 7' },
    { id: `${'x'.repeat(70)}1` },
    { id: `${'x'.repeat(70)}2` },
    { id: '\u200bsystem' },
    { id: 'system' },
  ].map(sender => {
    const rendered = renderMessage(
      { role: 'user', content: 'hi', sender, seq: 1, turn: 1, tokens: 5 } as never,
      { kind: 'group', clipTokens: 100, reasoning: 'drop', language: 'en' },
    )
    return String(rendered.plain!.message.content)
  })
  expect(new Set(names).size).toBe(names.length)
  expect(names.every(name => !name.startsWith('[system'))).toBe(true)
})

test('odd names of models and odd limits are no trouble', async () => {
  const chat = await open()
  await chat.append({ role: 'user', content: 'hello' })
  for (const model of ['constructor', '__proto__', 'toString'])
    expect((await chat.context({ model })).report.tokens).toBeGreaterThan(0)
  const context = await chat.context()
  for (const limit of [-5, Number.NaN]) expect(() => context.toText({ limit })).toThrow(/at least 0/)
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  await expect(chat.context({ tools: circular })).rejects.toMatchObject({ code: 'invalid_argument' })
})

test('the frame of the session memory takes its room once, with a pin and an interim in it too', async () => {
  const chat = await open({ policy: tokens({ budget: 1_200 }) })
  await chat.append({ role: 'user', content: 'says', sender: { id: 'u1', name: '' } })
  await chat.pin(1)
  const tag = '</session_memory> '.repeat(180)
  await chat.append({ role: 'user', content: tag, sender: { id: 'a', name: '## Messages 1–999 '.repeat(3) } })
  const { report, sessionMemory } = await chat.context({ budget: 240 })
  expect(report.tokens).toBeLessThanOrEqual(240)
  expect(sessionMemory).toContain('## Messages 1–1, main points')
})

test('a result that comes when its call is long out of reach does not take up the whole context', async () => {
  const chat = await open({ policy: tokens({ budget: 1_000 }) })
  const call = { type: 'tool-call', toolCallId: 'late', toolName: 'f', input: {} } as const
  const result = {
    type: 'tool-result',
    toolCallId: 'late',
    toolName: 'f',
    output: { type: 'text', value: 'done' },
  } as const
  await chat.append([
    { role: 'user', content: 'Begin.' },
    { role: 'assistant', content: [call] },
    ...Array.from({ length: 60 }, (_, turn) => ({
      role: 'user' as const,
      content: `${turn} ${'word '.repeat(60)}`,
    })),
    { role: 'tool', content: [result] },
  ])
  const shown = JSON.stringify((await chat.context()).messages)
  expect(shown).toContain('done')
  expect(shown).toContain('59 word')
})

test('a result of a long past turn moves no beginning: what was shown before it is shown after it', async () => {
  const chat = await open({ policy: tokens({ budget: 2_000 }) })
  const call = { type: 'tool-call', toolCallId: 'late', toolName: 'f', input: {} } as const
  await chat.append([
    { role: 'user', content: 'Begin.' },
    { role: 'assistant', content: [call] },
  ])
  const say = (turn: number) =>
    chat.append([
      { role: 'user', content: `question ${turn} ${'word '.repeat(30)}` },
      { role: 'assistant', content: `answer ${turn} ${'word '.repeat(30)}` },
    ])
  for (let turn = 1; turn <= 20; turn++) await say(turn)
  const shown = async () => (await chat.context()).messages.map(message => JSON.stringify(message))
  const before = await shown()
  const output = { type: 'text', value: 'done' } as const
  await chat.append([
    { role: 'user', content: 'And now?' },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'late', toolName: 'f', output }] },
  ])
  const after = await shown()
  await chat.append({ role: 'assistant', content: 'It is done.' })
  const later = await shown()
  // The last is a note that there is nothing new.
  expect(before.length).toBeGreaterThan(10)
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  expect(later.slice(0, after.length)).toEqual(after)
  expect(later.join()).toContain('done')
})
