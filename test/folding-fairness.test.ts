import { expect, test, vi } from 'vitest'
import {
  type FoldEngine,
  FoldScheduler,
  MEMO_INSTRUCTIONS,
} from '../packages/palimpsest/src/compaction/index.ts'
import {
  count,
  createPalimpsest,
  type FoldOutcome,
  type Summarizer,
} from '../packages/palimpsest/src/index.ts'
import { extractive } from '../packages/palimpsest/src/summarizer/index.ts'
import { messages, withChat } from './folding-kit.ts'
import { sqlitePlace } from './stores.ts'

const policy = count({ threshold: 20, keepLast: 10 })

/** Hangs over the sessions whose messages say so. */
const hanging: Summarizer = {
  ...extractive(),
  name: 'hanging',
  summarize: request =>
    String(request.messages[0]!.content).includes('hang')
      ? new Promise(() => {})
      : extractive().summarize(request),
}

test('a session with a long backlog gives its place to others after each fold', async () => {
  const place = sqlitePlace()
  const before = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  const long = 'forty crates of lemons sail to Porto on Friday '.repeat(200)
  for (let from = 1; from <= 600; from += 100)
    await before.session('long').append(messages(from, from + 99, long))
  for (const id of ['short 1', 'short 2', 'short 3']) await before.session(id).append(messages(1, 21))
  await before.close()
  const order: string[] = []
  const onFold = (outcome: FoldOutcome, { sessionId }: { sessionId: string }) => {
    if (outcome.outcome === 'applied') order.push(sessionId)
  }
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, onFold, foldConcurrency: 1 })
  expect(await palimpsest.settled({ timeoutMs: 120_000 })).toBe(true)
  expect(order.filter(id => id === 'long').length).toBeGreaterThan(5)
  for (const id of ['short 1', 'short 2', 'short 3']) expect(order.indexOf(id)).toBeLessThan(5)
  await palimpsest.close()
  await place.remove()
})

test('hanging summarisers stop no other session, no append and no close', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  const manual = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  const engine: FoldEngine = {
    store,
    namespace: 'default',
    policy,
    summarizer: hanging,
    memo: { instructions: MEMO_INSTRUCTIONS },
    handlers: {},
    zone: 'UTC',
    clock: Date.now,
    owner: 'test',
    summarizerTimeoutMs: 120_000,
    tracer: null,
  }
  const folded = new Set<string>()
  const scheduler = new FoldScheduler(engine, {
    concurrency: 2,
    slowAfterMs: 20,
    onOutcome: (outcome, key) => outcome.outcome === 'applied' && folded.add(key.id),
  })
  const hangingIds = Array.from({ length: 20 }, (_, index) => `hanging ${index}`)
  const goodIds = Array.from({ length: 20 }, (_, index) => `good ${index}`)
  for (const id of hangingIds) {
    await manual
      .session(id)
      .append(messages(1, 21, 'hang on, forty crates of lemons sail to Porto on Friday '.repeat(4)))
    scheduler.trigger({ namespace: 'default', id })
  }
  for (const id of goodIds) {
    await manual.session(id).append(messages(1, 21))
    scheduler.trigger({ namespace: 'default', id })
  }
  await vi.waitFor(() => expect([...folded].sort()).toEqual(goodIds.toSorted()), { timeout: 30_000 })
  const start = performance.now()
  await manual.session(hangingIds[0]!).append(messages(22, 22))
  await manual.session('new').append(messages(1, 1))
  expect(performance.now() - start).toBeLessThan(20_000)
  await scheduler.close('abandon')
  expect(performance.now() - start).toBeLessThan(30_000)
  expect((await manual.session(hangingIds[0]!).info())!).toMatchObject({
    messages: 22,
    segments: 0,
    folding: false,
  })
  await manual.close()
  await store.close()
  await place.remove()
})

test('but no more than a bounded number hang at once', async () => {
  const place = sqlitePlace()
  let running = 0
  const summarizer: Summarizer = {
    name: 'counting',
    version: '1',
    summarize: () => {
      running += 1
      return new Promise(() => {})
    },
  }
  const store = await place.open()
  const manual = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  const engine: FoldEngine = {
    store,
    namespace: 'default',
    policy,
    summarizer,
    memo: { instructions: MEMO_INSTRUCTIONS },
    handlers: {},
    zone: 'UTC',
    clock: Date.now,
    owner: 'test',
    summarizerTimeoutMs: 120_000,
    tracer: null,
  }
  const scheduler = new FoldScheduler(engine, { concurrency: 4, slowAfterMs: 5 })
  for (let number = 0; number < 50; number++) {
    await manual.session(`s${number}`).append(messages(1, 21))
    scheduler.trigger({ namespace: 'default', id: `s${number}` })
  }
  await vi.waitFor(() => expect(running).toBe(32), { timeout: 30_000 })
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(running).toBe(32)
  await scheduler.close('abandon')
  await manual.close()
  await store.close()
  await place.remove()
})

test('how many fold at a time can be said, and is checked', async () => {
  const place = sqlitePlace()
  for (const foldConcurrency of [0, -1, 1.5, Number.NaN])
    await expect(createPalimpsest({ store: await place.open(), foldConcurrency })).rejects.toMatchObject({
      details: { field: 'foldConcurrency' },
    })
  await expect(
    createPalimpsest({ store: await place.open(), memo: { instructions: 'x' as never } }),
  ).rejects.toMatchObject({
    details: { field: 'memo.instructions' },
  })
  await withChat({ foldConcurrency: 2, memo: {} }, async chat => {
    await chat.append(messages(1, 1))
  })
  await place.remove()
})
