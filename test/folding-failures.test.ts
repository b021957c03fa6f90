import { afterEach, expect, test, vi } from 'vitest'
import {
  count,
  createPalimpsest,
  type PalimpsestOptions,
  type Session,
  type Summarizer,
  tokens,
  window,
} from '../packages/palimpsest/src/index.ts'
import { Clock, messages, scripted } from './folding-kit.ts'
import { sqlitePlace } from './stores.ts'

const policy = count({ threshold: 20, keepLast: 10 })
const WORDS = 'forty crates of lemons sail to Porto on Friday '.repeat(6)
const talk = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    content: `Message ${index + 1}: ${WORDS}`,
  }))

const hanging: Summarizer = { name: 'hanging', version: '1', summarize: () => new Promise(() => {}) }

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function open(options: Partial<PalimpsestOptions>) {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  cleanUps.push(place.remove, () => palimpsest.close())
  return { palimpsest, chat: palimpsest.session('s') }
}

/** Each visible message is raw, or under exactly one shown segment. */
async function checkCovered(chat: Session): Promise<void> {
  const shown = await chat.segments()
  for (const { seq, archived } of await chat.messages({ limit: 1_000 })) {
    const over = shown.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq)
    expect([seq, over.length]).toEqual([seq, archived ? 1 : 0])
  }
}

test('a signal that was aborted before the summariser was called ends the fold all the same', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, summarizer: hanging })
  const chat = palimpsest.session('s')
  await chat.append(talk(21))
  expect(await chat.compact({ signal: AbortSignal.abort() })).toMatchObject({ outcome: 'skipped' })
  await palimpsest.close()
  await place.remove()
})

test('closing aborts a fold that somebody waits for, and the lease is free', async () => {
  const place = sqlitePlace()
  const options = { policy, folding: 'manual' } as const
  const first = await createPalimpsest({ store: await place.open(), ...options, summarizer: hanging })
  const chat = first.session('s')
  await chat.append(talk(21))
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
  await palimpsest.session('s').append(talk(30))
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
  for (const message of talk(90)) {
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

test('a listener that throws harms nobody', async () => {
  const place = sqlitePlace()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const onFold = () => {
    throw new Error('mine')
  }
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, onFold })
  await palimpsest.session('s').append(talk(21))
  expect(await palimpsest.settled()).toBe(true)
  expect((await palimpsest.session('s').info())!.segments).toBe(1)
  expect(warned).toHaveBeenCalled()
  warned.mockRestore()
  await palimpsest.close()
  await place.remove()
})

test('a rollback after an outage leaves no message without a segment', async () => {
  const clock = new Clock()
  let isDown = true
  const { summarizer } = scripted({
    // Smaller than what a provisional segment stands for, whose messages then go into several calls.
    sourceTokens: 2_600,
    summarize: () => (isDown ? new Error('down') : { text: '- Ann: they spoke of many things on that day.' }),
  })
  const policy = window({
    contextSize: 75,
    tailKeepSize: 5,
    compressionWindowSize: 5,
    compressionHardLimit: 8,
  })
  const { chat, palimpsest } = await open({ policy, summarizer, clock: clock.read, folding: 'background' })
  const say = async (seq: number) => {
    await chat.append({
      role: 'user',
      content: `Message ${seq}: ${'a story of some length '.repeat(seq <= 8 ? 75 : 25)}`,
    })
    await palimpsest.settled()
  }
  for (let seq = 1; seq <= 21; seq++) await say(seq)
  expect((await chat.segments()).map(({ state }) => state)).toContain('provisional')
  isDown = false
  clock.now += 3 * 3_600_000
  for (let seq = 22; seq <= 24; seq++) await say(seq)
  expect((await chat.segments()).map(({ state }) => state)).not.toContain('provisional')
  for (let seq = 23; seq > 1; seq--) {
    const copy = await chat.fork(`copy-${seq}`)
    await copy.rollback(seq)
    await checkCovered(copy)
  }
})

test('where condensing always fails, segments stay bounded all the same', async () => {
  const { summarizer } = scripted({
    summarize: ({ of, budgetTokens }) =>
      of === 'summaries'
        ? new Error('refused')
        : { text: `- Ann: ${'lemon ship '.repeat(budgetTokens / 3)}` },
  })
  const { chat } = await open({ policy: tokens({ budget: 6_000, idleSec: 0 }), summarizer })
  for (let from = 1; from <= 1_200; from += 10) {
    const { decision } = await chat.append(messages(from, from + 9))
    if (decision) await chat.compact()
  }
  const total = (await chat.segments()).reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)
  expect(total).toBeLessThanOrEqual(1_500 * 1.5)
  expect((await chat.info())!.compactedThrough).toBeGreaterThan(1_100)
})
