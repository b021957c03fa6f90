import { expect, test, vi } from 'vitest'
import {
  count,
  createPalimpsest,
  type FoldOutcome,
  type Summarizer,
  window,
} from '../packages/palimpsest/src/index.ts'
import { sqlitePlace } from './stores.ts'

/** What a review of folding found: none of it may come back. */

const policy = count({ threshold: 20, keepLast: 10 })
const WORDS = 'forty crates of lemons sail to Porto on Friday '.repeat(6)
const messages = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    content: `Message ${index + 1}: ${WORDS}`,
  }))

const hanging: Summarizer = { name: 'hanging', version: '1', summarize: () => new Promise(() => {}) }

test('a signal that was aborted before the summariser was called ends the fold all the same', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, summarizer: hanging })
  const chat = palimpsest.session('s')
  await chat.append(messages(21))
  expect(await chat.compact({ signal: AbortSignal.abort() })).toMatchObject({ outcome: 'skipped' })
  await palimpsest.close()
  await place.remove()
})

test('closing aborts a fold that somebody waits for, and the lease is free', async () => {
  const place = sqlitePlace()
  const options = { policy, folding: 'manual' } as const
  const first = await createPalimpsest({ store: await place.open(), ...options, summarizer: hanging })
  const chat = first.session('s')
  await chat.append(messages(21))
  const fold = chat.compact()
  await vi.waitFor(async () => expect((await chat.info())!.folding).toBe(true))
  await first.close()
  expect(await fold).toMatchObject({ outcome: 'skipped', reason: 'aborted' })
  const second = await createPalimpsest({ store: await place.open(), ...options })
  expect(await second.session('s').compact()).toMatchObject({ outcome: 'applied' })
  await second.close()
  await place.remove()
})

test('a handler whose segments leave a gap fails once, and is not called for ever', async () => {
  const place = sqlitePlace()
  let calls = 0
  const lite = () => {
    calls += 1
    return { segments: [], memo: null }
  }
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, handlers: { lite } })
  await palimpsest.session('s').append(messages(30))
  expect(await palimpsest.settled()).toBe(true)
  expect(calls).toBe(1)
  expect((await palimpsest.session('s').info())!.lastOutcome).toMatchObject({
    outcome: 'failed',
    reason: 'invalid_decision',
  })
  await palimpsest.close()
  await place.remove()
})

test('while the summariser fails, the hard limit folds without it', async () => {
  const place = sqlitePlace()
  let calls = 0
  const failing: Summarizer = {
    name: 'failing',
    version: '1',
    summarize: async () => {
      calls += 1
      throw new Error('429')
    },
  }
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: window(),
    summarizer: failing,
  })
  const chat = palimpsest.session('s')
  for (const message of messages(90)) {
    await chat.append(message)
    await palimpsest.settled()
  }
  expect(calls).toBe(1)
  expect((await chat.segments())[0]).toMatchObject({
    state: 'provisional',
    summarizer: 'extractive',
    reason: 'hard_limit',
  })
  await palimpsest.close()
  await place.remove()
})

test("a process folds its own namespace's sessions only", async () => {
  const place = sqlitePlace()
  const other = await createPalimpsest({
    store: await place.open(),
    policy,
    folding: 'manual',
    namespace: 'b',
  })
  await other.session('s').append(messages(21))
  const seen: string[] = []
  const onFold = (_: FoldOutcome, { sessionId }: { sessionId: string }) => seen.push(sessionId)
  const own = await createPalimpsest({ store: await place.open(), policy, namespace: 'a', onFold })
  expect(await own.settled()).toBe(true)
  expect(seen).toEqual([])
  expect((await other.session('s').info())!.pending).toBe(true)
  await own.close()
  await other.close()
  await place.remove()
})

test('all that is pending is taken up, however many sessions', async () => {
  const place = sqlitePlace()
  const before = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  for (let number = 0; number < 130; number++) await before.session(`s${number}`).append(messages(21))
  await before.close()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy })
  expect(await palimpsest.settled()).toBe(true)
  const infos = await palimpsest.sessions({ limit: 1000 })
  expect(infos.filter(info => info.segments === 1)).toHaveLength(130)
  await palimpsest.close()
  await place.remove()
})

test('a listener that throws harms nobody', async () => {
  const place = sqlitePlace()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const onFold = () => {
    throw new Error('mine')
  }
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, onFold })
  await palimpsest.session('s').append(messages(21))
  expect(await palimpsest.settled()).toBe(true)
  expect((await palimpsest.session('s').info())!.segments).toBe(1)
  expect(warned).toHaveBeenCalled()
  warned.mockRestore()
  await palimpsest.close()
  await place.remove()
})

test('a long backlog is one fold to whoever waits for it', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  const chat = palimpsest.session('s')
  const long = Array.from({ length: 300 }, (_, index) => ({
    role: 'user' as const,
    content: `${index} ${WORDS.repeat(10)}`,
  }))
  await chat.append(long)
  expect(await chat.compact({ force: true })).toMatchObject({
    outcome: 'applied',
    reason: 'force',
    fromSeq: 1,
    toSeq: 290,
  })
  await palimpsest.close()
  await place.remove()
})
