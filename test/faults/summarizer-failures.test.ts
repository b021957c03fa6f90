import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  modelSummarizer,
  type Palimpsest,
  type Session,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import {
  type ModelServer,
  modelFailures,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'

/** A failed summary is never stored as the summary: the real engine, a real file, a real socket. */

const MINUTE = 60_000
let server: ModelServer
let folder: string
let palimpsest: Palimpsest
let now: number

async function open(timeoutMs: number): Promise<Palimpsest> {
  const model = createOpenAICompatible({ name: 'test', baseURL: server.url })('small')
  return createPalimpsest({
    store: sqlite(join(folder, 'test.db')),
    policy: count({ threshold: 20, keepLast: 10 }),
    folding: 'manual',
    clock: () => now,
    summarizer: modelSummarizer(model, { timeoutMs, maxRetries: 0 }),
  })
}

beforeEach(async () => {
  server = await startModelServer()
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'))
  now = Date.parse('2026-03-02T10:00:00Z')
  palimpsest = await open(2_000)
})

afterEach(async () => {
  await palimpsest.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function chatOf(id: string, messages: number): Promise<Session> {
  const chat = palimpsest.session(id)
  await chat.append(
    Array.from({ length: messages }, (_, index) => ({
      role: index % 2 ? ('assistant' as const) : ('user' as const),
      content: `Message ${index + 1}: ${'forty crates of lemons sail to Porto on Friday, and Ann pays. '.repeat(5)}`,
      at: new Date(now),
    })),
  )
  return chat
}

const HEALTHY = JSON.stringify({
  summary:
    'The user and the assistant agreed that forty crates of lemons sail to Porto on Friday; Ann pays for them.',
  events: [{ on: '2026-03-06', text: 'user: the crates sail', seq: 1 }],
  details: [],
  memo: { cargo: 'lemons' },
})

/** All that a failure must not touch: the whole session, as it would be carried to another machine. */
async function bytesOf(chat: Session): Promise<string> {
  return JSON.stringify(await chat.export())
}

const REASONS: Readonly<Record<Exclude<keyof typeof modelFailures, 'wrong language'>, string>> = {
  'too many requests': 'rate_limited',
  'no quota': 'insufficient_quota',
  'no such model': 'model_not_found',
  'internal error': 'unavailable',
  overloaded: 'unavailable',
  'wrong key': 'unauthorized',
  'context overflow': 'overflow',
  'connection reset': 'unavailable',
  'body cut off': 'unavailable',
  hang: 'timeout',
  'empty text': 'empty',
  'only spaces': 'empty',
  'error as text': 'error_text',
  'asks for the conversation': 'asks_for_conversation',
  refusal: 'refusal',
  'refusal field': 'content_filter',
  'bare tool call': 'tool_call',
  'tool call as text': 'tool_call',
  'cut off by length': 'cut_off',
  'content filter': 'content_filter',
  'empty template': 'empty_template',
  'longer than its source': 'longer_than_source',
  'invalid JSON': 'no_summary',
  'no summary in the JSON': 'no_summary',
  'error as JSON': 'error_text',
  'HTML page': 'no_summary',
}

describe.each(Object.entries(REASONS))('%s', (name, reason) => {
  const bad = modelFailures[name as keyof typeof REASONS]

  async function fail(chat: Session): Promise<void> {
    server.setReply(bad)
    const before = await bytesOf(chat)
    expect(await chat.compact()).toMatchObject({ outcome: 'failed', reason, segmentId: null })
    expect(server.requests.length).toBeGreaterThan(0)
    expect(await bytesOf(chat)).toBe(before)
    expect(await chat.segments('all')).toEqual([])
    expect(await chat.info()).toMatchObject({
      compactedThrough: 0,
      lastOutcome: { outcome: 'failed', reason },
    })
  }

  async function expectFolded(chat: Session): Promise<void> {
    const segments = await chat.segments('all')
    expect(segments).toMatchObject([{ fromSeq: 1, toSeq: 11, summarizer: 'test.chat:small', state: 'live' }])
    expect(segments[0]!.summary).toBe((JSON.parse(HEALTHY) as { summary: string }).summary)
    expect(segments[0]!.promptVersion).toMatch(/^[\da-f]{8}$/)
    if ('text' in bad && bad.text?.trim()) expect(await bytesOf(chat)).not.toContain(bad.text)
    expect((await chat.messages()).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
  }

  test(`fails as ${reason}, changes nothing, is left alone for a while, and then succeeds`, async () => {
    const chat = await chatOf('waits', 21)
    await fail(chat)
    // In the back-off nobody is asked, however often the policy would like to fold.
    server.setReply(HEALTHY)
    const asked = server.requests.length
    now += 1_000
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped', reason: 'nothing_to_do' })
    await chat.append({ role: 'user', content: 'Are you there?' })
    expect((await chat.compact()).outcome).toBe('skipped')
    expect(server.requests).toHaveLength(asked)
    await chat.rollback(21)
    now += MINUTE
    expect(await chat.compact()).toMatchObject({ outcome: 'applied', fromSeq: 1, toSeq: 11 })
    await expectFolded(chat)
  })

  test('is tried again at once where the caller says so', async () => {
    const chat = await chatOf('forced', 21)
    await fail(chat)
    expect(await chat.compact({ force: true })).toMatchObject({ outcome: 'failed', reason })
    server.setReply(HEALTHY)
    expect(await chat.compact({ force: true })).toMatchObject({ outcome: 'applied', fromSeq: 1, toSeq: 11 })
    await expectFolded(chat)
  })
})

test.each([
  ['Ok', 'empty_template'],
  ['null', 'empty_template'],
  ['[object Object]', 'empty_template'],
  ['Summary done.', 'too_short'],
  ['The conversation is empty.', 'asks_for_conversation'],
  ['I need the conversation to summarize. Could you paste it?', 'asks_for_conversation'],
  ['Sorry, something went wrong. Please try again later.', 'error_text'],
  ['Failed to fetch', 'error_text'],
  ['Es tut mir leid, aber ich kann dieses Gespräch nicht zusammenfassen.', 'refusal'],
  ['Je suis désolé, mais je ne peux pas résumer cette conversation.', 'refusal'],
])('%j is stored neither as text nor in an object', async (text, reason) => {
  for (const reply of [{ text }, { text: JSON.stringify({ summary: text }) }]) {
    const chat = await chatOf(crypto.randomUUID(), 21)
    server.setReply(reply)
    expect(await chat.compact()).toMatchObject({ outcome: 'failed', reason })
    expect(await chat.segments('all')).toEqual([])
  }
})

test('a memo that outgrows the window ends no summaries', async () => {
  const chat = await chatOf('memo', 21)
  const answer = JSON.parse(HEALTHY)
  server.setReply(JSON.stringify({ ...answer, memo: { notes: 'forty crates '.repeat(20_000) } }))
  const outcome = await chat.compact()
  expect(outcome).toMatchObject({
    outcome: 'applied',
    warnings: [expect.stringMatching(/^memo_invalid: too large/)],
  })
  expect((await chat.info())!.lastOutcome).toEqual(outcome)
  server.setReply(HEALTHY)
  await chat.append(
    Array.from({ length: 21 }, (_, index) => ({
      role: 'user' as const,
      content: `And ${index}: ${'forty crates of lemons sail to Porto on Friday. '.repeat(5)}`,
    })),
  )
  expect(await chat.compact()).toMatchObject({ outcome: 'applied', warnings: [] })
  expect((await chat.info())!.memo).toMatchObject({ cargo: 'lemons' })
})

test('a summariser that ignores its signal is asked no more after a time-out', async () => {
  await palimpsest.close()
  let calls = 0
  const timedOut = Promise.withResolvers<void>()
  palimpsest = await createPalimpsest({
    store: sqlite(join(folder, 'deaf.db')),
    policy: count({ threshold: 20, keepLast: 10 }),
    folding: 'manual',
    summarizerTimeoutMs: 50,
    summarizer: {
      name: 'deaf',
      version: '1',
      sourceTokens: 1_000,
      summarize: async () => {
        calls += 1
        await timedOut.promise
        return { text: 'Forty crates of lemons sail to Porto.', events: [], details: [] }
      },
    },
  })
  const chat = await chatOf('deaf', 40)
  expect(await chat.compact()).toMatchObject({ outcome: 'failed', reason: 'timeout' })
  timedOut.resolve()
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(calls).toBe(1)
})

test('the wrong language: asked once more, and the right one is stored', async () => {
  const chat = await chatOf('language', 21)
  server.setReply((_, index) => (index === 0 ? modelFailures['wrong language'] : HEALTHY))
  expect(await chat.compact()).toMatchObject({ outcome: 'applied', fromSeq: 1, toSeq: 11 })
  expect(server.requests).toHaveLength(2)
  expect(JSON.stringify(server.requests[1]!.body)).toContain('<script>\\nLatin\\n</script>')
  expect(await bytesOf(chat)).not.toContain(modelFailures['wrong language'].text)
})

test('nothing foldable, or nothing worth a summary, means no request for one', async () => {
  server.setReply(HEALTHY)
  const few = await chatOf('few', 9)
  expect((await few.compact()).outcome).toBe('skipped')
  const short = palimpsest.session('short')
  await short.append(
    Array.from({ length: 21 }, (_, index) => ({ role: 'user' as const, content: `ok ${index}` })),
  )
  expect(await short.compact()).toMatchObject({ outcome: 'applied' })
  expect((await short.segments()).map(({ summarizer }) => summarizer)).toEqual(['verbatim'])
  expect(server.requests).toHaveLength(0)
  // A forced decision that moves nothing brings the memo up to date, once.
  for (let times = 0; times < 3; times++)
    expect(await few.compact({ force: true })).toMatchObject({ outcome: 'skipped', segmentId: null })
  expect(server.requests).toHaveLength(1)
  expect(JSON.stringify(server.requests[0]!.body)).toContain('No summary is asked for')
  expect(await few.segments('all')).toEqual([])
  expect((await few.info())?.memo).toMatchObject({ cargo: 'lemons' })
})

test('a plain model is a summariser; what is neither is refused before anything is opened', async () => {
  const model = createOpenAICompatible({ name: 'test', baseURL: server.url })('small')
  server.setReply(HEALTHY)
  await palimpsest.close()
  const store = () => sqlite(join(folder, 'other.db'))
  palimpsest = await createPalimpsest({
    store: store(),
    policy: count({ threshold: 20, keepLast: 10 }),
    folding: 'manual',
    summarizer: model,
  })
  expect((await (await chatOf('plain', 21)).compact()).outcome).toBe('applied')
  for (const summarizer of ['anthropic/claude-haiku-4-5', {}, model.doGenerate])
    await expect(createPalimpsest({ store: store(), summarizer: summarizer as never })).rejects.toThrow(
      /summarizer: [\s\S]*allowed: a language model of the AI SDK/,
    )
})

test('a hanging model delays no append and no close', async () => {
  await palimpsest.close()
  palimpsest = await open(120_000)
  const chat = await chatOf('hangs', 21)
  server.setReply(modelFailures.hang)
  const fold = chat.compact()
  while (server.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  const started = performance.now()
  await chat.append({ role: 'user', content: 'Still there?' })
  expect(await chat.count()).toBe(22)
  await palimpsest.close()
  expect(performance.now() - started).toBeLessThan(60_000)
  expect(await fold).toMatchObject({ outcome: 'skipped', reason: 'aborted' })
})
