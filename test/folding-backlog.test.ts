import { afterEach, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type FoldOutcome,
  type PalimpsestOptions,
  tokens,
  window,
} from '../packages/palimpsest/src/index.ts'
import { Clock, scripted } from './folding-kit.ts'
import { smallTalk } from './scenarios/small-talk.ts'
import { sqlitePlace } from './stores.ts'

const policy = count({ threshold: 20, keepLast: 10 })
const WORDS = 'forty crates of lemons sail to Porto on Friday '.repeat(6)
const talk = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    content: `Message ${index + 1}: ${WORDS}`,
  }))

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

test("a process folds its own namespace's sessions only", async () => {
  const place = sqlitePlace()
  const other = await createPalimpsest({
    store: await place.open(),
    policy,
    folding: 'manual',
    namespace: 'b',
  })
  await other.session('s').append(talk(21))
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
  for (let number = 0; number < 130; number++) await before.session(`s${number}`).append(talk(21))
  await before.close()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy })
  expect(await palimpsest.settled()).toBe(true)
  const infos = await palimpsest.sessions({ limit: 1000 })
  expect(infos.filter(info => info.segments === 1)).toHaveLength(130)
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
