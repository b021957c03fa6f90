import { afterEach, expect, test } from 'vitest'
import {
  createPalimpsest,
  type PalimpsestOptions,
  type Session,
  tokens,
  window,
} from '../packages/palimpsest/src/index.ts'
import { Clock, messages, scripted } from './folding-kit.ts'
import { smallTalk } from './scenarios/small-talk.ts'
import { sqlitePlace } from './stores.ts'

/** What a second review of folding found, each as it was found. */

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

test('a large overhead, or a budget that was lowered, does not end folding', async () => {
  const { chat, palimpsest } = await open({ policy: tokens({ budget: 8_000, idleSec: 0 }) })
  const talk = smallTalk(3)
  await chat.append(talk.next().value)
  await chat.context({ instructions: 'Do it like this. '.repeat(1_400) })
  for (let index = 0; index < 500; index++)
    if ((await chat.append(talk.next().value)).decision) await chat.compact()
  const { raw, overheadTokens, fixedTokens } = (await chat.snapshot())!
  expect(overheadTokens).toBeGreaterThan(6_000)
  expect(fixedTokens + raw.tokens).toBeLessThan(8_200)
  await chat.context({ instructions: 'Be brief.' })
  palimpsest.configure({ policy: tokens({ budget: 1_000, idleSec: 0 }) })
  // Memory takes a share of the budget: the next context says how much that is now.
  await chat.context({ instructions: 'Be brief.' })
  for (let index = 0; index < 40; index++)
    if ((await chat.append(talk.next().value)).decision) await chat.compact()
  const after = (await chat.snapshot())!
  expect(after.fixedTokens + after.raw.tokens).toBeLessThan(1_100)
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

test('a model too slow for a long backlog is given less of it, and gets on', async () => {
  const clock = new Clock()
  const { summarizer } = scripted({
    sourceTokens: 5_000,
    summarize: () => ({ text: '- Ann: they spoke about lemons, and then about ships.' }),
  })
  /** Of the attempt under way. In the time of one there is room for four. */
  let calls = 0
  const slow = {
    ...summarizer,
    summarize: async (request: Parameters<typeof summarizer.summarize>[0]) => {
      calls += 1
      if (calls > 4) await new Promise(resolve => request.signal?.addEventListener('abort', resolve))
      request.signal?.throwIfAborted()
      return summarizer.summarize(request)
    },
  }
  const { chat } = await open({
    policy: window({ contextSize: 100, tailKeepSize: 5 }),
    summarizer: slow,
    summarizerTimeoutMs: 2_500,
    clock: clock.read,
  })
  for (let seq = 1; seq <= 100; seq++)
    await chat.append({ role: 'user', content: `${seq} ${'a long story about lemons '.repeat(160)}` })
  for (let attempt = 0; attempt < 6; attempt++) {
    calls = 0
    await chat.compact({ force: true })
    clock.now += 3_600_001
  }
  expect((await chat.info())!.compactedThrough).toBeGreaterThan(0)
})
