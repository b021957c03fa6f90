import { expect, test } from 'vitest'
import { StoreError } from '../packages/palimpsest/src/errors.ts'
import { count, createPalimpsest, tokens } from '../packages/palimpsest/src/index.ts'
import type { FoldStore } from '../packages/palimpsest/src/store/index.ts'
import { storeWith } from '../packages/palimpsest/src/store/store-with.ts'
import { Clock, messages, scripted, usage, withChat } from './folding-kit.ts'
import { sqlitePlace } from './stores.ts'

const policy = count({ threshold: 20, keepLast: 10 })

class ModelError extends Error {
  readonly reason: string
  readonly retryAfterMs: number | null
  readonly usage = usage()
  constructor(reason: string, retryAfterMs: number | null = null) {
    super(`${reason}: a long message that quotes "forty crates of lemons"`)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

test('what the caller asks to be kept reaches the summariser', async () => {
  const { summarizer, summaries } = scripted()
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 30))
    await chat.compact({ force: true, focus: 'the prices' })
    expect(summaries.map(({ focus }) => focus)).toEqual(['the prices'])
    await expect(chat.compact({ focus: ' ' })).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

test('usage is added up over all calls of a fold', async () => {
  const { summarizer, calls } = scripted({ sourceTokens: 1000 })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 60))
    const outcome = await chat.compact()
    expect(outcome.usage).toEqual(usage(calls.length))
    expect((await chat.info())!.lastOutcome).toMatchObject({ usage: usage(calls.length), warnings: [] })
  })
})

test('a failure tells its reason and what it took, and waits as long as the provider asked', async () => {
  const clock = new Clock()
  let error: Error | null = new ModelError('rate_limited', 600_000)
  const { summarizer, calls } = scripted({
    sourceTokens: 1000,
    summarize: (_, call) => (call === 2 && error) || {},
  })
  const place = sqlitePlace()
  await withChat({ policy, summarizer, clock: clock.read }, async chat => {
    await chat.append(messages(1, 60))
    const outcome = await chat.compact()
    // The first call's and the failed one's.
    expect(outcome).toMatchObject({ outcome: 'failed', reason: 'rate_limited', usage: usage(2) })
    expect(calls).toHaveLength(2)
    error = null
    clock.now += 599_000
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped' })
    clock.now += 2_000
    expect(await chat.compact()).toMatchObject({ outcome: 'applied' })
  })
  await place.remove()
})

test('events hold figures and words of ours, never what was said', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  const clock = new Clock()
  let error: Error | null = new Error('cannot summarise "forty crates of lemons"')
  const { summarizer } = scripted({ summarize: () => error ?? {} })
  const { createPalimpsest } = await import('../packages/palimpsest/src/index.ts')
  const palimpsest = await createPalimpsest({
    store,
    policy,
    summarizer,
    folding: 'manual',
    clock: clock.read,
  })
  const chat = palimpsest.session('s')
  await chat.append(messages(1, 21))
  await chat.compact()
  error = new ModelError('unavailable')
  clock.now += 3_600_000
  await chat.compact()
  error = null
  clock.now += 3_600_000
  await chat.compact()
  const events = await store.events.readEvents({ after: null, limit: 100 })
  const folds = events.filter(({ type }) => type.startsWith('fold-'))
  expect(folds.map(({ type, fromSeq, toSeq, data }) => [type, fromSeq, toSeq, data!['reason']])).toEqual([
    ['fold-failed', 1, 11, 'Error'],
    ['fold-failed', 1, 11, 'unavailable'],
    ['fold-committed', 1, 11, 'count'],
  ])
  expect(folds[1]!.data).toMatchObject({ outcome: 'failed', type: 'lite', usage: usage(), durationMs: 0 })
  expect(folds[2]!.data).toEqual({
    outcome: 'applied',
    type: 'lite',
    throughSeq: 21,
    reason: 'count',
    segmentIds: [1],
    tokensBefore: expect.any(Number),
    tokensAfter: expect.any(Number),
    durationMs: 0,
    usage: usage(),
  })
  expect(JSON.stringify(events)).not.toContain('lemons')
  await palimpsest.close()
  await place.remove()
})

test('231 messages that arrive during a fold lie above its range, in order, and it commits once', async () => {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const { summarizer, calls } = scripted({
    summarize: async () => {
      begun.resolve()
      await release.promise
      return {}
    },
  })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 21))
    const plan = await chat.plan()
    const fold = chat.compact()
    await begun.promise
    await Promise.all(messages(22, 252).map(each => chat.append(each)))
    const epoch = (await chat.info())!.epoch
    release.resolve()
    await fold
    const first = (await chat.segments('all')).find(({ id }) => id === 1)
    expect(first).toMatchObject({ fromSeq: plan!.range!.fromSeq, toSeq: plan!.range!.toSeq })
    const stored = await chat.messages({ limit: 300 })
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 252 }, (_, index) => index + 1))
    expect(stored.map(({ content }) => content)).toEqual(messages(1, 252).map(({ content }) => content))
    expect(stored[11]!.seq).toBe(12)
    // One for the frozen range, and one for what came meanwhile.
    expect((await chat.info())!.epoch).toBe(epoch + 2)
    expect(calls.length).toBeGreaterThan(1)
    expect(await chat.info()).toMatchObject({ compactedThrough: 242, rawMessages: 10 })
  })
})

const CHINESE = '我们星期五把四十箱柠檬运到波尔图，安妮支付发票，鲍勃负责联系港口和仓库。'
const IN_CHINESE = '- 安妮：星期五把四十箱柠檬运到波尔图，鲍勃联系港口和仓库，安妮支付发票。'
const IN_ENGLISH = '- Ann: forty crates of lemons go to Porto on Friday and Bob calls the port about it.'

test.each([
  ['right away', [IN_CHINESE], [undefined], IN_CHINESE, []],
  ['at the second try', [IN_ENGLISH, IN_CHINESE], [undefined, 'Han'], IN_CHINESE, []],
  ['never', [IN_ENGLISH, IN_ENGLISH], [undefined, 'Han'], IN_ENGLISH, [/^wrong_script: /]],
  [
    'before the second try failed',
    [IN_ENGLISH, new Error('down')],
    [undefined, 'Han'],
    IN_ENGLISH,
    [/^wrong_script/],
  ],
  ['before a second try that is none', [IN_ENGLISH, ''], [undefined, 'Han'], IN_ENGLISH, [/^wrong_script/]],
])('a summary in the right script %s', async (_, answers, scripts, stored, warnings) => {
  const { summarizer, summaries } = scripted({
    summarize: (_, call) => {
      const answer = answers[call - 1]!
      return answer instanceof Error ? answer : { text: answer }
    },
  })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 21, CHINESE.repeat(3)))
    const outcome = await chat.compact()
    expect(summaries.map(({ script }) => script)).toEqual(scripts)
    expect((await chat.segments())[0]!.summary).toBe(stored)
    expect(outcome.warnings).toEqual(warnings.map(warning => expect.stringMatching(warning)))
    expect((await chat.info())!.memo).toMatchObject({ seen: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] })
  })
})

test('a mixed conversation may be summarised in either script', async () => {
  const { summarizer, calls } = scripted({ summarize: () => ({ text: IN_ENGLISH }) })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append(messages(1, 21, `${CHINESE} ${IN_ENGLISH}`))
    expect((await chat.compact()).warnings).toEqual([])
    expect(calls).toEqual(['s'])
  })
})

test('no call is given more than the summariser takes, not even one large message', async () => {
  const { summarizer, summaries } = scripted({ sourceTokens: 2000 })
  await withChat({ policy, summarizer }, async chat => {
    await chat.append([
      ...messages(1, 15),
      ...messages(16, 16, 'words of a very long message '.repeat(2000)),
      ...messages(17, 40),
    ])
    const outcome = await chat.compact()
    expect(outcome).toMatchObject({ outcome: 'applied', fromSeq: 1, toSeq: 30 })
    for (const { messages } of summaries)
      expect(messages.reduce((sum, { content }) => sum + (content as string).length, 0)).toBeLessThan(
        2000 * 6,
      )
    expect(summaries.filter(({ messages }) => messages.some(({ seq }) => seq === 16)).length).toBeGreaterThan(
      3,
    )
    const all = await chat.segments('all')
    expect(
      all.filter(({ level }) => level === 1).map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
    ).toContainEqual([16, 16])
    expect((await chat.info())!.memo).toMatchObject({ last_resize: { reason: 'count' } })
  })
})

test.each([40, 60, 100, 200, 400])('a budget of %i tokens is tight, but no reason to fail', async budget => {
  await withChat(
    { policy: tokens({ budget, idleSec: 0 }), folding: 'background' },
    async (chat, palimpsest) => {
      for (let from = 1; from <= 40; from += 4) {
        await chat.append(messages(from, from + 3, 'and forty crates of lemons too'))
        expect(await palimpsest.settled()).toBe(true)
        const { lastOutcome } = (await chat.info())!
        expect(lastOutcome?.['outcome'] ?? 'applied').not.toBe('failed')
      }
      expect((await chat.info())!.segments).toBeGreaterThan(0)
      for (const { summary } of await chat.segments('all')) expect(summary).not.toBe('')
    },
  )
})

test('somebody who asks for the messages does not stop the extractive summariser', async () => {
  await withChat({ policy }, async chat => {
    await chat.append(
      messages(
        1,
        21,
        'Please provide the transcript of the conversation. I cannot help with that. '.repeat(5),
      ),
    )
    expect(await chat.compact()).toMatchObject({ outcome: 'applied' })
  })
})

test('details and dates of what is rolled up are carried upwards, bounded', async () => {
  const { summarizer } = scripted({
    summarize: ({ messages, of }) => ({
      text: `- Ann: ${'a summary of what was said about the lemons '.repeat(of === 'summaries' ? 2 : 12)}`,
      details: messages.map(({ seq }) => `https://example.com/invoice/${seq}`),
      events: messages.map(({ seq }) => ({
        on: `2026-${seq % 2 ? '01' : '12'}-15`,
        text: `event ${seq}`,
        seq,
      })),
    }),
  })
  await withChat({ policy: tokens({ budget: 3000, idleSec: 0 }), summarizer }, async chat => {
    for (let from = 1; from <= 400; from += 20) {
      await chat.append(messages(from, from + 19))
      await chat.compact()
    }
    const [oldest] = await chat.segments()
    expect(oldest!.level).toBeGreaterThan(1)
    expect(oldest!.details.length).toBeGreaterThan(3)
    expect(oldest!.details.length).toBeLessThanOrEqual(60)
    expect(new Set(oldest!.details).size).toBe(oldest!.details.length)
    expect(oldest!.events.length).toBe(40)
    const total = (await chat.segments()).reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)
    expect(total).toBeLessThanOrEqual(750)
  })
})

test('a database that is away for a while when a fold is stored costs no second summary', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  let failures = 3
  const commitFold: FoldStore['commitFold'] = async commit => {
    if (failures === 0) return store.folds.commitFold(commit)
    failures -= 1
    throw new StoreError('store_unavailable', 'PostgreSQL', 'the server is starting')
  }
  const flaky = storeWith(store, { folds: { ...store.folds, commitFold } })
  const model = scripted()
  const palimpsest = await createPalimpsest({
    store: flaky,
    folding: 'manual',
    policy: count({ threshold: 10, keepLast: 2 }),
    summarizer: model.summarizer,
  })
  const chat = palimpsest.session('s')
  await chat.append(messages(1, 12))
  expect(await chat.compact()).toMatchObject({ outcome: 'applied' })
  expect(failures).toBe(0)
  expect(model.calls).toEqual(['s'])
  await palimpsest.close()
  await place.remove()
})
