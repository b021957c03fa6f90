import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPalimpsest, type Session, tokens, window } from '../packages/palimpsest/src/index.ts'
import { extractive } from '../packages/palimpsest/src/summarizer/index.ts'
import { Clock, messages, scripted, withChat } from './folding-kit.ts'
import { runs } from './runs.ts'
import { sqlitePlace } from './stores.ts'

const shown = async (chat: Session) =>
  (await chat.segments()).map(({ fromSeq, toSeq, state, summarizer }) => [fromSeq, toSeq, state, summarizer])

async function expectNoGap(chat: Session): Promise<void> {
  const info = (await chat.info())!
  const segments = await chat.segments()
  let covered = 0
  let count = 0
  for (const segment of segments) {
    expect(segment.fromSeq).toBe(covered + 1)
    covered = segment.toSeq
    count += segment.messageCount
  }
  expect(info.compactedThrough).toBe(covered)
  expect(info.rawMessages).toBe(info.messages - count)
}

test('over budget, a failure of the model is followed at once by a provisional segment', async () => {
  const clock = new Clock()
  let isDown = true
  const { summarizer, calls, summaries } = scripted({ summarize: () => (isDown ? new Error('down') : {}) })
  const options = {
    policy: tokens({ budget: 2000, idleSec: 0 }),
    summarizer,
    clock: clock.read,
    folding: 'background',
  } as const
  await withChat(options, async (chat, palimpsest) => {
    await chat.append(messages(1, 40))
    expect(await palimpsest.settled()).toBe(true)
    expect(calls).toEqual(['s'])
    const segments = await chat.segments()
    expect(segments[0]).toMatchObject({
      state: 'provisional',
      summarizer: 'extractive',
      reason: 'max_tokens',
    })
    const snapshot = (await chat.snapshot())!
    expect(snapshot.fixedTokens + snapshot.raw.tokens).toBeLessThan(2000)
    await expectNoGap(chat)
    // The next fold with the real summariser takes those messages in again.
    isDown = false
    clock.now += 3_600_000
    const last = segments.at(-1)!.toSeq
    await chat.append(messages(41, 80))
    expect(await palimpsest.settled()).toBe(true)
    expect(summaries.at(-1)!.of).not.toBe('summaries')
    expect(summaries[1]!.messages[0]!.seq).toBe(1)
    const after = await chat.segments()
    expect(after.every(({ state }) => state === 'live')).toBe(true)
    expect(after[0]!.fromSeq).toBe(1)
    expect(after.at(-1)!.toSeq).toBeGreaterThan(last)
    await expectNoGap(chat)
    const all = await chat.segments('all')
    expect(all.filter(({ state }) => state === 'rolled-up').length).toBe(segments.length)
  })
})

test('a rollback below the better segment shows the provisional ones again', async () => {
  const clock = new Clock()
  let isDown = true
  const { summarizer } = scripted({ summarize: () => (isDown ? new Error('down') : {}), sourceTokens: 1500 })
  await withChat({ policy: window(), summarizer, clock: clock.read }, async chat => {
    await chat.append(messages(1, 71))
    await chat.compact()
    await chat.compact()
    expect(await shown(chat)).toEqual([[1, 31, 'provisional', 'extractive']])
    isDown = false
    clock.now += 3_600_000
    await chat.append(messages(72, 84))
    expect(await chat.compact()).toMatchObject({ outcome: 'applied', fromSeq: 32, toSeq: 44 })
    expect(
      (await chat.segments()).every(({ state, summarizer }) => state === 'live' && summarizer === 'scripted'),
    ).toBe(true)
    await expectNoGap(chat)
    await chat.rollback(40)
    await expectNoGap(chat)
    await chat.rollback(10)
    expect(await shown(chat)).toEqual([])
    await expectNoGap(chat)
  })
})

test('where the summariser is the extractive one, there is nothing better to come', async () => {
  const clock = new Clock()
  let isDown = true
  const handlers = {
    lite: () => {
      throw new Error('down')
    },
  }
  const place = sqlitePlace()
  const failing = await createPalimpsest({
    store: await place.open(),
    policy: window(),
    folding: 'manual',
    handlers,
    clock: clock.read,
  })
  await failing.session('s').append(messages(1, 71))
  expect(await failing.session('s').compact()).toMatchObject({ outcome: 'failed' })
  await failing.close()
  isDown = false
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: window(),
    folding: 'manual',
    summarizer: extractive(),
    clock: clock.read,
  })
  expect(await palimpsest.session('s').compact()).toMatchObject({ outcome: 'applied', toSeq: 31 })
  expect(await shown(palimpsest.session('s'))).toEqual([[1, 31, 'live', 'extractive']])
  expect(isDown).toBe(false)
  await palimpsest.close()
  await place.remove()
})

test('whatever fails and is rolled back or copied, each message is raw or covered once', async () => {
  const steps = fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          append: fc.integer({ min: 1, max: 30 }),
          isDown: fc.boolean(),
          wait: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ rollback: fc.integer({ min: 0, max: 100 }) }) },
    ),
    { minLength: 1, maxLength: 14 },
  )
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(600, 1500, 100_000), async (drawn, sourceTokens) => {
      const clock = new Clock()
      let isDown = false
      const { summarizer } = scripted({ sourceTokens, summarize: () => (isDown ? new Error('down') : {}) })
      const options = { policy: tokens({ budget: 2500, idleSec: 0 }), summarizer, clock: clock.read }
      await withChat(options, async (chat, palimpsest) => {
        let last = 1
        await chat.append(messages(1, 1))
        for (const step of drawn) {
          if ('append' in step) {
            isDown = step.isDown
            if (step.wait) clock.now += 3_600_001
            await chat.append(messages(last + 1, last + step.append))
            last += step.append
            await chat.compact()
            await chat.compact()
          } else {
            const head = (await chat.messages({ from: 'newest', limit: 1 }))[0]?.seq ?? 0
            const before = await chat.messages({ limit: 1000 })
            await chat.rollback(Math.floor((head * step.rollback) / 100))
            expect((await chat.messages({ limit: 1000 })).length).toBeLessThanOrEqual(before.length)
          }
          const visible = await chat.messages({ limit: 1000 })
          const segments = await chat.segments()
          for (const { seq, archived } of visible) {
            const covering = segments.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq)
            expect(covering.length).toBe(archived ? 1 : 0)
          }
        }
        const file = await chat.export()
        const { session, warnings } = await palimpsest.import(JSON.parse(JSON.stringify(file)), {
          id: 'copy',
        })
        expect(warnings).toEqual([])
        expect({ ...(await session.export()), id: 's' }).toEqual(file)
      })
    }),
    { numRuns: runs(15, 40) },
  )
})
