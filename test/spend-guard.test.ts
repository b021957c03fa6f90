import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  modelSummarizer,
  type Palimpsest,
  type PalimpsestOptions,
  resize,
  type Session,
} from '../packages/palimpsest/src/index.ts'
import type { MemoUpdateRequest, SummarizeRequest } from '../packages/palimpsest/src/summarizer/index.ts'
import {
  type ModelServer,
  modelFailures,
  startModelServer,
  testClock,
} from '../packages/palimpsest/src/testing/index.ts'
import { messages, scripted } from './folding-kit.ts'
import { runs } from './runs.ts'
import { PLACES, type StorePlace, sqlitePlace } from './stores.ts'

/** The real engine and, where a model is asked, a real socket: its requests are what is counted. */

const HOUR = 3_600_000
const NOON = '2026-03-02T12:00:00.000Z'
const ONE = '2026-03-02T13:00:00.000Z'

const SUMMARY = JSON.stringify({
  summary: 'Ann and the bot agreed that forty crates of lemons sail to Porto on Friday; Ann pays for them.',
  events: [],
  details: [],
  memo: { cargo: 'lemons' },
})

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

interface World {
  readonly place: StorePlace
  readonly server: ModelServer
  readonly clock: ReturnType<typeof testClock>
  open(options?: Partial<PalimpsestOptions>): Promise<Palimpsest>
}

async function newWorld(newPlace: () => StorePlace = sqlitePlace): Promise<World> {
  const place = newPlace()
  const server = await startModelServer({ reply: { text: SUMMARY, usage: { input: 900, output: 100 } } })
  cleanUp.push(
    () => place.remove(),
    () => server.close(),
  )
  const clock = testClock(NOON)
  const model = createOpenAICompatible({ name: 'test', baseURL: server.url })('small')
  return {
    ...{ place, server, clock },
    open: async options => {
      const palimpsest = await createPalimpsest({
        store: await place.open(),
        policy: count({ threshold: 20, keepLast: 10 }),
        folding: 'manual',
        indexing: 'off',
        clock,
        summarizer: modelSummarizer(model, { timeoutMs: 30_000, maxRetries: 0 }),
        memory: { extract: 'off' },
        ...options,
      })
      cleanUp.push(() => palimpsest.close())
      return palimpsest
    },
  }
}

/** Enough for one fold of eleven messages, each time. */
async function fold(chat: Session): Promise<Awaited<ReturnType<Session['compact']>>> {
  const { messages: before = 0, rawMessages = 0 } = (await chat.info()) ?? {}
  await chat.append(messages(before + 1, before + 21 - rawMessages))
  return chat.compact()
}

const shown = async (chat: Session) =>
  (await chat.segments()).map(({ fromSeq, toSeq, state, summarizer }) => [fromSeq, toSeq, state, summarizer])

const LIMIT_REPORT = {
  ...{ model: 'test.chat:small', scope: 'namespace', unit: 'calls', used: 1, limit: 1, until: ONE },
}

describe.each(Object.entries(PLACES))('on %s', (_, newPlace) => {
  test('a limit of calls makes folds extractive, says so, and opens again with the hour', async () => {
    const world = await newWorld(newPlace)
    const palimpsest = await world.open({ spendGuard: { callsPerHour: 1 } })
    const chat = palimpsest.session('s')
    expect(await fold(chat)).toMatchObject({ outcome: 'applied', warnings: [] })
    expect(await fold(chat)).toMatchObject({
      ...{ outcome: 'applied', reason: 'count', fromSeq: 12, toSeq: 22, usage: null },
      spendGuard: LIMIT_REPORT,
      warnings: [
        `spend_guard: 1 of 1 calls an hour are spent on test.chat:small; it is not asked before ${ONE}`,
      ],
    })
    await world.clock.advance(HOUR - 1)
    expect(await fold(chat)).toMatchObject({ outcome: 'applied', fromSeq: 23, toSeq: 33 })
    expect(await shown(chat)).toEqual([
      [1, 11, 'live', 'test.chat:small'],
      [12, 22, 'provisional', 'extractive'],
      [23, 33, 'provisional', 'extractive'],
    ])
    expect(world.server.requests).toHaveLength(1)
    await world.clock.advance(1)
    const again = await fold(chat)
    expect(again).toMatchObject({ outcome: 'applied', fromSeq: 34, toSeq: 44, warnings: [] })
    expect(again).not.toHaveProperty('spendGuard')
    expect(world.server.requests).toHaveLength(2)
    expect(await shown(chat)).toEqual([
      [1, 11, 'live', 'test.chat:small'],
      [12, 44, 'live', 'test.chat:small'],
    ])
    const folds = await chat.folds()
    expect(folds.map(({ spendGuard }) => spendGuard)).toEqual([null, LIMIT_REPORT, LIMIT_REPORT, null])
  })

  test('one session that spends much does not take from the others', async () => {
    const world = await newWorld(newPlace)
    const palimpsest = await world.open({ spendGuard: { sessionCallsPerHour: 1, callsPerHour: 3 } })
    const [busy, quiet] = [palimpsest.session('busy'), palimpsest.session('quiet')]
    await fold(busy)
    for (const _ of [1, 2, 3])
      expect((await fold(busy)).spendGuard).toMatchObject({ scope: 'session', unit: 'calls', used: 1 })
    expect(await fold(quiet)).not.toHaveProperty('spendGuard')
    expect(world.server.requests).toHaveLength(2)
  })

  test('over random interleavings of several engines no hour has more calls than its limit', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ engine: fc.nat(2), session: fc.nat(2), force: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ minutes: fc.integer({ min: 1, max: 70 }) }) },
      { weight: 1, arbitrary: fc.record({ isDown: fc.boolean() }) },
    )
    const limits = fc.record({
      callsPerHour: fc.integer({ min: 1, max: 6 }),
      sessionCallsPerHour: fc.option(fc.integer({ min: 1, max: 4 })),
    })
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(limits, rounds, async (spendGuard, drawn) => {
        const place = newPlace()
        const clock = testClock(NOON)
        const calls: { hour: number; session: string }[] = []
        let isDown = false
        let wasDown = false
        const engines: Palimpsest[] = []
        for (const _ of [1, 2, 3]) {
          const note = async ({ messages: given }: SummarizeRequest | MemoUpdateRequest) => {
            const session = /in (s\d)/.exec(String(given[0]!.content))?.[1] ?? ''
            calls.push({ hour: Math.floor(clock() / HOUR), session })
            await new Promise(resolve => setImmediate(resolve))
            return isDown ? new Error('down') : undefined
          }
          const { summarizer } = scripted({
            summarize: async request => (await note(request)) ?? {},
            updateMemo: note,
          })
          const options = { folding: 'manual', indexing: 'off', clock, spendGuard, summarizer } as const
          const policy = count({ threshold: 12, keepLast: 2 })
          const store = await place.open()
          engines.push(await createPalimpsest({ ...options, store, policy, memory: { extract: 'off' } }))
        }
        try {
          let last = 0
          for (const round of drawn) {
            const [work, rest] = [
              round.filter(each => 'engine' in each),
              round.filter(each => !('engine' in each)),
            ]
            for (const each of rest)
              if ('minutes' in each) await clock.advance(each.minutes * 60_000)
              else if ('isDown' in each) isDown = each.isDown
            wasDown ||= isDown
            await Promise.all(
              work.map(async ({ engine, session, force }) => {
                const chat = engines[engine]!.session(`s${session}`)
                const words = `in s${session}: ${'forty crates of lemons sail to Porto on Friday, '.repeat(8)}`
                await chat.append(messages(last + 1, last + 13, words))
                const outcome = await chat.compact(force ? { force: true } : {})
                last += 13
                // What fails, fails for the model; what is limited goes on.
                if (outcome.outcome === 'failed') expect(outcome.reason).toBe('Error')
                expect(outcome.reason).not.toBe('spend_guard')
              }),
            )
          }
          // Folds go on, whatever was spent; after a failure they wait for their time.
          for (const id of ['s0', 's1', 's2']) {
            const each = engines[2]!.session(id)
            if (wasDown || (await each.info()) === null) continue
            await each.compact()
            expect((await each.info())!.rawMessages).toBeLessThanOrEqual(12)
          }
          const hours = Map.groupBy(calls, ({ hour }) => hour)
          for (const ofHour of hours.values()) {
            expect(ofHour.length).toBeLessThanOrEqual(spendGuard.callsPerHour)
            const { sessionCallsPerHour } = spendGuard
            if (sessionCallsPerHour === null) continue
            for (const ofSession of Map.groupBy(ofHour, ({ session }) => session).values())
              expect(ofSession.length).toBeLessThanOrEqual(sessionCallsPerHour)
          }
          // After the hour the model has its say again.
          isDown = false
          await clock.advance(2 * HOUR)
          const before = calls.length
          const chat = engines[0]!.session('after')
          await chat.append(messages(1, 13))
          expect(await chat.compact()).not.toHaveProperty('spendGuard')
          expect(calls.length).toBe(before + 1)
          for (const id of ['s0', 's1', 's2']) {
            const each = engines[1]!.session(id)
            if ((await each.info()) === null) continue
            let covered = 0
            for (const { fromSeq, toSeq } of await each.segments()) {
              expect(fromSeq).toBe(covered + 1)
              covered = toSeq
            }
            expect((await each.info())!.compactedThrough).toBe(covered)
          }
        } finally {
          for (const engine of engines) await engine.close()
          await place.remove()
        }
      }),
      { numRuns: newPlace === sqlitePlace ? runs(8, 25) : runs(3, 8) },
    )
  })
})

describe('what is counted', () => {
  test('tokens, as the provider counts them, and as they are expected until it has', async () => {
    const world = await newWorld()
    const palimpsest = await world.open({ spendGuard: { tokensPerHour: 1_500 } })
    const chat = palimpsest.session('s')
    for (const _ of [1, 2]) expect(await fold(chat)).not.toHaveProperty('spendGuard')
    expect((await fold(chat)).spendGuard).toMatchObject({ unit: 'tokens', used: 2_000, limit: 1_500 })
    // A server that counts nothing.
    await world.clock.advance(HOUR)
    world.server.setReply({ text: SUMMARY, usage: { input: 0, output: 0 } })
    for (let calls = 0; calls < 9; calls += 1) await fold(chat)
    const { spendGuard } = await fold(chat)
    expect(spendGuard).toMatchObject({ unit: 'tokens' })
    expect(spendGuard!.used).toBeGreaterThan(1_500)
    expect(world.server.requests.length).toBeLessThan(6)
  })

  test('every request, those that fail and are repeated too, each for its own model', async () => {
    const world = await newWorld()
    const of = (name: string) => createOpenAICompatible({ name: 'test', baseURL: world.server.url })(name)
    const summarizer = modelSummarizer(of('small'), { fallback: of('large'), maxRetries: 1 })
    const palimpsest = await world.open({ summarizer, spendGuard: { callsPerHour: 2, tokensPerHour: 50 } })
    const chat = palimpsest.session('s')
    world.server.setReply(request =>
      request.body['model'] === 'small'
        ? { ...modelFailures['too many requests'], headers: { 'retry-after-ms': '1' } }
        : SUMMARY,
    )
    expect(await fold(chat)).toMatchObject({ outcome: 'applied', usage: { model: 'test.chat:large' } })
    expect(world.server.requests.map(({ body }) => body['model'])).toEqual(['small', 'small', 'large'])
    // What was turned away cost nothing, and was asked all the same.
    expect((await fold(chat)).spendGuard).toMatchObject({ model: 'test.chat:small', unit: 'calls', used: 2 })
    expect(world.server.requests).toHaveLength(3)
  })

  test('a model that is at its limit is not replaced by the other one', async () => {
    const world = await newWorld()
    const of = (name: string) => createOpenAICompatible({ name: 'test', baseURL: world.server.url })(name)
    const summarizer = modelSummarizer(of('small'), {
      fallback: of('large'),
      maxRetries: 0,
      windowTokens: 4_000,
    })
    const palimpsest = await world.open({ summarizer, spendGuard: { callsPerHour: 2 } })
    const chat = palimpsest.session('s')
    await chat.append(messages(1, 120))
    const outcome = await chat.compact({ force: true })
    expect(outcome).toMatchObject({ outcome: 'applied', usage: { model: 'test.chat:small', calls: 2 } })
    expect(world.server.requests.map(({ body }) => body['model'])).toEqual(['small', 'small'])
  })

  test('nothing, where nothing is limited; and in a namespace of its own', async () => {
    const world = await newWorld()
    const free = await world.open()
    for (const _ of [1, 2, 3]) await fold(free.session('s'))
    const limited = await world.open({ spendGuard: { callsPerHour: 1 } })
    expect(await fold(limited.session('s'))).not.toHaveProperty('spendGuard')
    expect(await fold(limited.session('s'))).toHaveProperty('spendGuard')
    const other = await world.open({ spendGuard: { callsPerHour: 1 }, namespace: 'other' })
    expect(await fold(other.session('s'))).not.toHaveProperty('spendGuard')
  })

  test('the requests of a summariser of one’s own, by the calls that it tells of', async () => {
    const world = await newWorld()
    const { summarizer, calls } = scripted({
      updateMemo: null,
      summarize: () => ({
        usage: { model: 'x', calls: 3, inputTokens: 5, cachedInputTokens: 0, outputTokens: 5, cost: null },
      }),
    })
    const palimpsest = await world.open({ summarizer, spendGuard: { callsPerHour: 4 } })
    const chat = palimpsest.session('s')
    await fold(chat)
    await fold(chat)
    expect((await fold(chat)).spendGuard).toMatchObject({ model: 'scripted', used: 6, limit: 4 })
    expect(calls).toEqual(['s', 's'])
  })
})

describe('once a limit is reached', () => {
  test('a forced fold obeys it too, whoever asks, and nothing backs off', async () => {
    const world = await newWorld()
    const palimpsest = await world.open({ spendGuard: { callsPerHour: 1 } })
    const chat = palimpsest.session('s')
    await fold(chat)
    await chat.append(messages(22, 40))
    expect(await chat.compact({ force: true, focus: 'the crates' })).toMatchObject({
      ...{ outcome: 'applied', reason: 'force', type: 'deep' },
      spendGuard: LIMIT_REPORT,
    })
    expect(world.server.requests).toHaveLength(1)
    expect(await chat.snapshot()).toMatchObject({ backoffSeconds: 0 })
    expect(await chat.info()).toMatchObject({ lastOutcome: { spendGuard: LIMIT_REPORT } })
  })

  test('it is as high as it is said to be now', async () => {
    const world = await newWorld()
    const palimpsest = await world.open({ spendGuard: { callsPerHour: 1 } })
    const chat = palimpsest.session('s')
    await fold(chat)
    expect(await fold(chat)).toHaveProperty('spendGuard')
    palimpsest.configure({ spendGuard: { callsPerHour: 2 } })
    expect(await fold(chat)).not.toHaveProperty('spendGuard')
    expect(await fold(chat)).toHaveProperty('spendGuard')
    palimpsest.configure({ spendGuard: {} })
    expect(await fold(chat)).not.toHaveProperty('spendGuard')
    for (const wrong of [{ callsPerHour: -1 }, { tokensPerHour: 0.5 }, { callPerHour: 1 }])
      expect(() => palimpsest.configure({ spendGuard: wrong })).toThrow(/spendGuard/)
  })

  test('whoever listens hears of it, the events have it, and the log a line', async () => {
    const world = await newWorld()
    const heard: unknown[] = []
    const lines: string[] = []
    const log = (_: object, text: string) => lines.push(text)
    const palimpsest = await world.open({
      folding: 'background',
      spendGuard: { callsPerHour: 1 },
      onFold: outcome => outcome.outcome === 'applied' && heard.push(outcome.spendGuard ?? null),
      logger: { debug: () => {}, info: log, warn: log, error: log },
    })
    const chat = palimpsest.session('s')
    await chat.append(messages(1, 21))
    await palimpsest.settled()
    await chat.append(messages(22, 32))
    await palimpsest.settled()
    expect(heard).toEqual([null, LIMIT_REPORT])
    expect(lines).toEqual([
      'palimpsest: fold applied',
      'palimpsest: fold applied without the model: the spend guard',
    ])
    const store = await world.place.open()
    const events = await store.events.readEvents({ after: null, limit: 100 })
    await store.close()
    const folds = events
      .filter(({ type }) => type === 'fold-committed')
      .map(({ data }) => data?.['spendGuard'])
    expect(folds).toEqual([undefined, LIMIT_REPORT])
  })

  test('a range that needs no model is folded as ever, and says nothing', async () => {
    const world = await newWorld()
    const palimpsest = await world.open({ spendGuard: { callsPerHour: 1 }, verbatimBelowTokens: 300 })
    await fold(palimpsest.session('s'))
    const chat = palimpsest.session('short')
    await chat.append(messages(1, 21, 'tea'))
    const outcome = await chat.compact()
    expect(outcome).toMatchObject({ outcome: 'applied', warnings: [] })
    expect(await shown(chat)).toEqual([[1, 11, 'live', 'verbatim']])
    // Behind a provisional one it is provisional too, so that both are taken in together.
    const mixed = palimpsest.session('mixed')
    await fold(mixed)
    await mixed.append(messages(22, 32, 'tea'))
    await mixed.compact()
    await mixed.append(messages(33, 43, 'tea'))
    await mixed.compact()
    expect((await shown(mixed)).map(([, , state]) => state)).toEqual([
      'provisional',
      'provisional',
      'provisional',
    ])
    await world.clock.advance(HOUR)
    await mixed.append(messages(44, 54))
    await mixed.compact()
    expect(await shown(mixed)).toEqual([[1, 44, 'live', 'test.chat:small']])
  })

  test('in the middle of a fold, what the model has said stays', async () => {
    const world = await newWorld()
    const { summarizer, calls } = scripted({ sourceTokens: 1_500, updateMemo: null })
    const palimpsest = await world.open({
      ...{ summarizer, policy: count({ threshold: 59, keepLast: 1 }) },
      spendGuard: { callsPerHour: 2 },
    })
    const chat = palimpsest.session('s')
    await chat.append(messages(1, 60))
    expect(await chat.compact({ force: true })).toMatchObject({
      ...{ outcome: 'applied', usage: { calls: 2 } },
      spendGuard: { used: 2 },
    })
    expect(calls).toEqual(['s', 's'])
    const states = (await shown(chat)).map(([, , state]) => state)
    expect(states.length).toBeGreaterThan(2)
    expect(states).toEqual(states.map((_, place) => (place < 2 ? 'live' : 'provisional')))
  })

  test('the memo waits, whether a decision folds or not, and is made up for', async () => {
    const world = await newWorld()
    const { summarizer, calls } = scripted()
    const palimpsest = await world.open({
      ...{ summarizer, policy: resize({ everyNTurns: 4, maxMessagesTextLength: null }) },
      spendGuard: { callsPerHour: 1 },
    })
    const chat = palimpsest.session('s')
    await chat.append(messages(1, 4))
    await chat.compact()
    expect(calls).toEqual(['m'])
    await chat.append(messages(5, 8))
    const outcome = await chat.compact()
    expect(outcome).toMatchObject({ outcome: 'skipped', reason: 'every_n_turns', spendGuard: { used: 1 } })
    expect(calls).toEqual(['m'])
    expect(await chat.info()).toMatchObject({ memo: { seen: [1, 2, 3, 4] } })
    expect(await chat.snapshot()).toMatchObject({ backoffSeconds: 0 })
    await world.clock.advance(HOUR)
    await chat.append(messages(9, 12))
    await chat.compact()
    expect(await chat.info()).toMatchObject({ memo: { seen: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] } })
  })

  test('a handler of one’s own is given extracts, and fails for nothing', async () => {
    const world = await newWorld()
    const texts: string[] = []
    const palimpsest = await world.open({
      spendGuard: { callsPerHour: 1 },
      handlers: {
        lite: async ({ range, messages: given, summarizer, zone, signal }) => {
          const request = { messages: given, earlier: null, budgetTokens: 200, zone, signal }
          const { text } = await summarizer.summarize(request)
          texts.push(text)
          const { fromSeq, toSeq } = range
          const segment = {
            ...{ fromSeq, toSeq, messageCount: given.length, summary: text, events: [], details: [] },
            ...({ level: 1, state: 'live', type: 'lite', reason: 'count', summarizer: 'own' } as const),
            ...{ promptVersion: '1', tokensBefore: 1_000, tokensAfter: 100, absorbs: [] },
          }
          return { segments: [segment], memo: null }
        },
      },
    })
    const chat = palimpsest.session('s')
    expect(await fold(chat)).not.toHaveProperty('spendGuard')
    expect(await fold(chat)).toMatchObject({ outcome: 'applied', spendGuard: LIMIT_REPORT })
    expect(texts[0]).toMatch(/^Ann and the bot/)
    expect(texts[1]).toMatch(/Number \d+/)
  })

  test('what a failing model began to wait for, it goes on waiting for', async () => {
    const world = await newWorld()
    world.server.setReply(modelFailures['internal error'])
    const palimpsest = await world.open({ spendGuard: { callsPerHour: 1 } })
    const chat = palimpsest.session('s')
    expect(await fold(chat)).toMatchObject({ outcome: 'failed', reason: 'unavailable' })
    expect(await chat.compact({ force: true })).toMatchObject({
      outcome: 'applied',
      spendGuard: LIMIT_REPORT,
    })
    expect((await chat.snapshot())!.backoffSeconds).toBeGreaterThan(0)
    expect(world.server.requests).toHaveLength(1)
  })

  test('an extraction waits for the next hour, and misses nothing', async () => {
    const world = await newWorld()
    const reports: unknown[] = []
    const errors: unknown[] = []
    const lines: string[] = []
    const log = (_: object, text: string) => lines.push(text)
    world.server.setReply(request =>
      JSON.stringify(request.body).includes('fact')
        ? JSON.stringify({
            facts: [{ text: 'Ann likes tea', section: 'preferences', seq: 1, on: '', replaces: [] }],
          })
        : SUMMARY,
    )
    const palimpsest = await world.open({
      folding: 'background',
      memory: { extract: 'turn' },
      spendGuard: { callsPerHour: 1 },
      onExtraction: report => reports.push(report),
      onError: error => errors.push(error),
      logger: { debug: () => {}, info: () => {}, warn: log, error: log },
    })
    await fold(palimpsest.session('other'))
    expect(world.server.requests).toHaveLength(1)
    const chat = palimpsest.session('private', { user: 'ann' })
    await chat.append([
      { role: 'user', content: 'I like tea very much, with lemon and without sugar.' },
      { role: 'assistant', content: 'I will remember that.' },
    ])
    await palimpsest.settled()
    expect(world.server.requests).toHaveLength(1)
    const waits = { layer: 'user', fromSeq: 1, toSeq: 2, facts: 0, usage: null, spendGuard: LIMIT_REPORT }
    expect(reports).toEqual([waits])
    expect(lines).toContain('palimpsest: extraction waits: the spend guard')
    await world.clock.advance(HOUR)
    await chat.append([
      { role: 'user', content: 'And what do I like in the evening, do you think?' },
      { role: 'assistant', content: 'Tea.' },
    ])
    await palimpsest.settled()
    expect(world.server.requests).toHaveLength(2)
    expect(JSON.stringify(world.server.requests[1]!.body)).toContain('without sugar')
    expect((await palimpsest.memory.user('ann').read())?.content).toContain('Ann likes tea')
    expect(errors).toEqual([])
  })
})
