import { describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
  tokens,
} from '../packages/palimpsest/src/index.ts'
import type { SummarizeRequest } from '../packages/palimpsest/src/summarizer/index.ts'
import { Clock, scripted } from './folding-kit.ts'
import { PLACES, type StorePlace } from './stores.ts'

const IDLE_MS = 300_000
const NO_ABORT = new AbortController().signal

/** Says what it was given, so that what it was not given cannot be in it. */
function telling() {
  return scripted({
    summarize: ({ messages }: SummarizeRequest) => ({
      text: messages
        .map(({ content }) => `- ${String(content).replace(/^- /, '').slice(0, 90)}`)
        .join('\n')
        .slice(0, 700),
    }),
  })
}

const PADDING = 'and the lemons sail to Porto with forty crates '.repeat(4)

async function fill(chat: Session, from: number, to: number, say: Readonly<Record<number, string>> = {}) {
  for (let number = from; number <= to; number++)
    await chat.append({
      role: number % 2 ? 'user' : 'assistant',
      sender: number % 2 ? { id: 'ann', name: 'Ann' } : { id: 'bot', name: 'Bot', isSelf: true },
      content: say[number] ?? `number ${number} ${PADDING}`,
    })
}

async function everything(chat: Session, options = {}): Promise<string> {
  const { instructions, messages } = await chat.context(options)
  return JSON.stringify([instructions, messages])
}

async function withChat(
  place: StorePlace,
  options: Partial<PalimpsestOptions>,
  use: (world: {
    chat: Session
    palimpsest: Palimpsest
    clock: Clock
    rebuild: () => Promise<void>
  }) => Promise<void>,
): Promise<void> {
  const clock = new Clock()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    policy: count({ threshold: 8, keepLast: 4 }),
    clock: clock.read,
    ...options,
  })
  const rebuild = async () => {
    clock.now += IDLE_MS
    await palimpsest.foldThrough('s', { signal: NO_ABORT })
  }
  try {
    const chat = palimpsest.session('s', { user: 'ann' })
    await use({ chat, palimpsest, clock, rebuild })
  } finally {
    await palimpsest.close()
    await place.remove()
  }
}

const states = async (chat: Session, which: 'shown' | 'all' = 'shown') =>
  (await chat.segments(which)).map(({ fromSeq, toSeq, level, state }) => [fromSeq, toSeq, level, state])

describe.each(Object.entries(PLACES))('an edit of a folded message, on %s', (_, place) => {
  test('is told at once, and then summarised', async () => {
    const { summarizer, calls } = telling()
    await withChat(place(), { summarizer }, async ({ chat, clock, palimpsest, rebuild }) => {
      await fill(chat, 1, 12, { 1: `I live at Elm Street 12 ${PADDING}` })
      await chat.compact({ force: true })
      expect(await everything(chat)).toContain('Elm Street 12')
      await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      const { messages, report } = await chat.context()
      const [changes] = messages.flatMap(({ content }) =>
        String(content).includes('<recent_changes>') ? [String(content)] : [],
      )
      expect(changes).toMatch(
        /\[Ann[^\]]*\] corrected message 1 \(2026-03-02\); it now says: I live at Oak Avenue 99/,
      )
      expect(changes).not.toContain('Elm Street')
      expect(report.blocks.map(({ name }) => name)).toContain('recent_changes')
      expect(report.tokens).toBeLessThanOrEqual(report.budget)
      const before = calls.length
      await palimpsest.foldThrough('s', { signal: NO_ABORT })
      expect(calls.length, 'it waits for further edits').toBe(before)
      clock.now += 1_000
      await chat.edit(2, `so it is Oak Avenue ${PADDING}`)
      await chat.edit(1, `I live at Oak Avenue 100 ${PADDING}`)
      clock.now -= 1_000
      await rebuild()
      expect(calls.length, 'edits of one segment are one rebuild').toBe(before + 1)
      const after = await everything(chat)
      expect(after).not.toContain('Elm Street')
      expect(after).not.toContain('Oak Avenue 99')
      expect(after).toContain('Oak Avenue 100')
      expect(after).not.toContain('recent_changes')
      expect(await states(chat, 'all')).toEqual(
        (await states(chat, 'all')).map(each => [...each.slice(0, 3), 'live']),
      )
    })
  })

  test('makes those that were condensed of it dirty, and they are made anew after it', async () => {
    const { summarizer } = telling()
    await withChat(place(), { summarizer, policy: count({ threshold: 8, keepLast: 4 }) }, async world => {
      const { chat, rebuild } = world
      await fill(chat, 1, 12, { 1: `I live at Elm Street 12 ${PADDING}` })
      await chat.compact({ force: true })
      await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      // Over a dirty segment.
      for (let first = 13; (await chat.segments('all')).every(({ level }) => level === 1); first += 8) {
        await fill(chat, first, first + 7)
        await chat.compact({ force: true })
        expect(first).toBeLessThan(1_000)
      }
      const over = (await chat.segments('all')).filter(({ fromSeq }) => fromSeq === 1)
      expect(over.map(({ level, state }) => [level, state])).toEqual([
        [1, 'rolled-up'],
        [2, 'dirty'],
      ])
      expect(await everything(chat)).toContain('Oak Avenue 99')
      await rebuild()
      const all = await chat.segments('all')
      expect(all.map(({ state }) => state)).not.toContain('dirty')
      expect(JSON.stringify(all)).not.toContain('Elm Street')
      expect(JSON.stringify(all)).toContain('Oak Avenue 99')
      // And one that was condensed before the edit.
      await chat.edit(1, `I live at Birch Road 7 ${PADDING}`)
      expect((await chat.segments()).find(({ fromSeq }) => fromSeq === 1)).toMatchObject({
        level: 2,
        state: 'dirty',
      })
      await rebuild()
      expect(JSON.stringify(await chat.segments('all'))).not.toContain('Oak Avenue')
      expect(await everything(chat)).not.toContain('Oak Avenue')
    })
  })

  test('stays told while the summariser fails, later and later', async () => {
    let isDown = false
    const model = telling()
    const summarizer = {
      ...model.summarizer,
      summarize: (request: SummarizeRequest) =>
        isDown ? Promise.reject(new Error('down')) : model.summarizer.summarize(request),
    }
    const outcomes: string[] = []
    const onFold: PalimpsestOptions['onFold'] = ({ outcome, reason }) =>
      outcome === 'skipped' || outcomes.push(`${outcome} ${reason}`)
    await withChat(place(), { summarizer, onFold }, async ({ chat, clock, palimpsest, rebuild }) => {
      await fill(chat, 1, 12, { 1: `I live at Elm Street 12 ${PADDING}` })
      await chat.compact({ force: true })
      const [before] = await chat.segments()
      isDown = true
      await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      await rebuild()
      expect(outcomes.at(-1)).toMatch(/^failed/)
      const tried = outcomes.length
      await palimpsest.foldThrough('s', { signal: NO_ABORT })
      expect(outcomes.length, 'it backs off').toBe(tried)
      expect((await chat.segments())[0]).toEqual({ ...before, state: 'dirty' })
      expect(await everything(chat)).toContain('it now says: I live at Oak Avenue 99')
      // Folds go on meanwhile.
      isDown = false
      await fill(chat, 13, 24)
      expect(await chat.compact()).toMatchObject({ outcome: 'applied' })
      clock.now += 3_600_000
      await rebuild()
      expect(await everything(chat)).not.toContain('Elm Street')
    })
  })

  test('does not keep a provisional segment from being replaced', async () => {
    let isDown = true
    const model = telling()
    const summarizer = {
      ...model.summarizer,
      summarize: (request: SummarizeRequest) =>
        isDown ? Promise.reject(new Error('down')) : model.summarizer.summarize(request),
    }
    await withChat(
      place(),
      { summarizer, folding: 'background' },
      async ({ chat, clock, palimpsest, rebuild }) => {
        palimpsest.configure({ policy: tokens({ budget: 1_200, idleSec: 0 }) })
        await fill(chat, 1, 30, { 1: `I live at Elm Street 12 ${PADDING}` })
        await palimpsest.settled()
        expect((await chat.segments())[0]).toMatchObject({ fromSeq: 1, state: 'provisional' })
        await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
        expect((await chat.segments())[0]).toMatchObject({ state: 'provisional' })
        isDown = false
        clock.now += 3_600_000
        await fill(chat, 31, 60)
        await palimpsest.settled()
        await rebuild()
        const all = await chat.segments('all')
        expect(
          all.filter(({ rolledInto }) => rolledInto === null).every(({ state }) => state === 'live'),
        ).toBe(true)
        expect(JSON.stringify(all)).not.toContain('Elm Street')
      },
    )
  })

  test('is made anew in the background, with nobody asking', async () => {
    const { summarizer } = telling()
    const here = place()
    const policy = tokens({ budget: 1_500, idleSec: 0.2 })
    const palimpsest = await createPalimpsest({ store: await here.open(), policy, summarizer })
    try {
      const chat = palimpsest.session('s')
      await fill(chat, 1, 30, { 1: `I live at Elm Street 12 ${PADDING}` })
      await chat.compact({ force: true })
      expect(JSON.stringify(await chat.segments('all'))).toContain('Elm Street')
      await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      await expect
        .poll(async () => JSON.stringify(await chat.segments('all')), { timeout: 20_000 })
        .not.toContain('Elm Street')
      await expect.poll(() => everything(chat), { timeout: 20_000 }).not.toContain('now says')
    } finally {
      await palimpsest.close()
      await here.remove()
    }
  })

  test('goes with what becomes of the message', async () => {
    const { summarizer } = telling()
    await withChat(place(), { summarizer }, async ({ chat, palimpsest, rebuild }) => {
      await fill(chat, 1, 12, {
        1: `I live at Elm Street 12 ${PADDING}`,
        3: `call me on 555-1234 ${PADDING}`,
      })
      const pin = await chat.pin(1)
      await chat.compact({ force: true })
      await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      await chat.edit(3, ' ')
      const told = await everything(chat)
      expect(told).toContain('corrected message 3 (2026-03-02); it says nothing any more')
      expect(told.match(/Oak Avenue 99/g), 'pinned and told').toHaveLength(2)
      await chat.unpin(pin.id)
      // A fork and a file tell what the original tells, and clean it themselves.
      const fork = await chat.fork('fork', 12)
      const file = await chat.export()
      const { session: imported } = await palimpsest.import(file, { id: 'imported' })
      expect(await imported.export()).toEqual({ ...file, id: 'imported' })
      for (const copy of [fork, imported]) {
        expect(await everything(copy)).toContain('now says: I live at Oak Avenue 99')
        expect(await everything(copy)).toContain('Elm Street')
      }
      await rebuild()
      for (const id of ['fork', 'imported']) await palimpsest.foldThrough(id, { signal: NO_ABORT })
      for (const each of [chat, fork, imported]) {
        const text = await everything(each)
        expect(text).not.toMatch(/Elm Street|555-1234|now says/)
        expect(text).toContain('Oak Avenue 99')
      }
      // Erased before it was made anew, nothing of any version is left.
      await chat.edit(1, `I live at Birch Road 7 ${PADDING}`)
      await palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [1] })
      for (const each of [chat, fork]) expect(await everything(each)).not.toMatch(/Birch Road|Oak Avenue/)
      // Back to what it said before.
      await imported.edit(1, `I live at Birch Road 7 ${PADDING}`)
      await imported.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      await rebuild()
      await palimpsest.foldThrough('imported', { signal: NO_ABORT })
      expect(await everything(imported)).not.toMatch(/Birch Road|now says/)
      // A view that shows the message itself says what it says now.
      await imported.edit(1, `I live at Cedar Lane 3 ${PADDING}`)
      expect(await everything(imported, { budget: 200_000 })).toContain('Cedar Lane 3')
    })
  })

  test('is made anew by the caller where nothing works in the background', async () => {
    const { summarizer } = telling()
    await withChat(place(), { summarizer }, async ({ chat, clock }) => {
      await fill(chat, 1, 12, { 1: `I live at Elm Street 12 ${PADDING}` })
      await chat.compact({ force: true })
      await chat.edit(1, `I live at Oak Avenue 99 ${PADDING}`)
      await chat.compact()
      expect(await everything(chat)).toContain('Elm Street')
      clock.now += IDLE_MS
      await chat.compact()
      expect(await everything(chat)).not.toMatch(/Elm Street|now says/)
    })
  })
})
