import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EACH } from '../../../../test/fixtures/places.ts'
import { scripted } from '../../../../test/folding-kit.ts'
import { runs } from '../../../../test/runs.ts'
import { PLACES, type StorePlace, sqlitePlace } from '../../../../test/stores.ts'
import type { MessageInput } from '../log/index.ts'
import {
  type Classic,
  type ClassicOptions,
  type ClassicSession,
  type ClassicSettings,
  createClassic,
} from './index.ts'

/** The session with two histories in the terms of those who described it: docs/described.md, section A. */

const BYTES = Buffer.from('picture'.repeat(400)).toString('base64')
const WORDS = 'forty crates of lemons sail to Porto on Friday and Ann tells Bob about the invoice '.repeat(2)
const KEEP_TWO: ClassicSettings = {
  'session.resize.every_n_turns': 0,
  'session.resize.max_messages_text_length': 0,
  'session.resize.max_keep_messages_count': 2,
}

function said(from: number, to: number, words = WORDS): MessageInput[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    role: (from + index) % 2 === 1 ? ('user' as const) : ('assistant' as const),
    content: `message ${from + index}: ${words}`,
  }))
}

const PICTURE: MessageInput = {
  role: 'user',
  content: [
    { type: 'text', text: `Look at this. ${WORDS}` },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${BYTES}` }, name: 'harbour.png' },
    { type: 'audio', file: 'voice-7.ogg', mime_type: 'audio/ogg', duration: 12, size: 9_000, data: BYTES },
  ],
}

describe.for(Object.entries(PLACES))('%s', ([, place]) => {
  let at: StorePlace
  const opened: Classic[] = []

  beforeEach(() => {
    at = place()
  })

  afterEach(async () => {
    for (const classic of opened.splice(0)) await classic.close()
    await at.remove()
  })

  async function open(options: Partial<ClassicOptions> = {}): Promise<Classic> {
    const classic = await createClassic({
      store: await at.open(),
      indexing: 'off',
      memory: { extract: 'off' },
      ...options,
    })
    opened.push(classic)
    return classic
  }

  async function talk(messages: readonly MessageInput[], options: Partial<ClassicOptions> = {}) {
    const session = await (await open(options)).session('chat', KEEP_TWO)
    await session.append(messages)
    return session
  }

  test('an id is 32 hexadecimal digits, and no two are the same', async () => {
    const classic = await open()
    const ids = await Promise.all([1, 2, 3].map(async () => (await classic.session()).id))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(ids).size).toBe(3)
  })

  test('turns counts appended messages, and the turn of the last resize is in the same unit', async () => {
    const classic = await open()
    const session = await classic.session('chat')
    for (const message of said(1, 7, 'x')) {
      await session.append(message)
      expect(await session.judgeResize()).toBe(null)
    }
    expect([session.turns, session.lastResizeTurn]).toEqual([7, 0])
    await session.append(said(8, 8, 'x'))
    expect(session.turns - session.lastResizeTurn).toBe(8)
    expect(await session.resize()).toMatchObject({ type: 'lite', reason: 'every_n_turns' })
    expect([session.turns, session.lastResizeTurn]).toEqual([8, 8])
    const again = await (await open()).session('chat')
    expect([again.turns, again.lastResizeTurn]).toEqual([8, 8])
    // Those who count replies see replies.
    again.setSettings({ turnUnit: 'reply' })
    expect([again.turns, again.lastResizeTurn]).toEqual([4, 4])
  })

  test('lite keeps the last messages and brings the memo up to date; no model summarises', async () => {
    const { summarizer, calls } = scripted()
    const session = await talk(said(1, 12), { summarizer })
    expect(await session.resize()).toMatchObject({
      outcome: 'applied',
      type: 'lite',
      reason: 'max_keep_messages_count',
      fromSeq: 1,
      toSeq: 10,
      warnings: [],
    })
    expect(calls).toEqual(['m'])
    expect(session.memo).toEqual({ seen: Array.from({ length: 12 }, (_, index) => index + 1) })
    expect(session.memoCursor).toBe(12)
    expect(session.currentHistory.slice(1).map(({ seq }) => seq)).toEqual([11, 12])
    expect(session.currentHistory[0]?.content).toContain('A summary of the earlier conversation')
    expect(await session.chat.segments()).toMatchObject([
      { fromSeq: 1, toSeq: 10, summarizer: 'extractive', state: 'provisional', type: 'lite' },
    ])
    expect(session.fullHistory().length).toBe(12)
    expect((await session.context()).toText()).toContain('message 12')
  })

  test('deep asks the model for memo and summary, in chunks that fit it', async () => {
    const { summarizer, summaries, calls } = scripted({ sourceTokens: 300 })
    const session = await talk(said(1, 24), { summarizer })
    expect(await session.resize({ force: 'deep' })).toMatchObject({
      outcome: 'applied',
      type: 'deep',
      fromSeq: 1,
      toSeq: 22,
    })
    const chunks = summaries.filter(({ of }) => of !== 'summaries')
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.flatMap(({ messages }) => messages.map(({ seq }) => seq))).toEqual(
      Array.from({ length: 22 }, (_, index) => index + 1),
    )
    // Each is given the memo of the one before; what stayed in the window is read for the memo alone.
    expect(calls.at(-1)).toBe('m')
    expect(session.memo).toEqual({ seen: Array.from({ length: 24 }, (_, index) => index + 1) })
    expect(session.memoCursor).toBe(24)
    expect((await session.chat.segments('all')).filter(({ level }) => level === 1)).toSatisfy(
      (segments: { summarizer: string; state: string }[]) =>
        segments.length === chunks.length && segments.every(({ summarizer }) => summarizer === 'scripted'),
    )
    expect(session.currentHistory.slice(-2).map(({ seq }) => seq)).toEqual([23, 24])
  })

  test('deep collects the attachments, and the model hears of them by type, reference and meta', async () => {
    const { summarizer, summaries, updates } = scripted()
    const session = await talk([PICTURE, ...said(2, 12)], { summarizer })
    await session.resize({ force: 'deep' })
    const told = [
      '{"type":"image_url","ref":"harbour.png","meta":{"name":"harbour.png","mime_type":"image/png"}}',
      '{"type":"audio","ref":"voice-7.ogg","meta":{"mime_type":"audio/ogg","size":9000,"duration":12}}',
    ]
    const [segment] = await session.chat.segments()
    const asked = JSON.stringify([summaries, updates])
    for (const line of told) {
      expect(segment?.summary).toContain(`- ${line}`)
      expect(asked).toContain(JSON.stringify(line).slice(1, -1))
      expect(session.currentHistory[0]?.content).toContain(line)
    }
    for (const text of [asked, JSON.stringify(segment), (await session.context()).toText()])
      expect(text).not.toContain(BYTES.slice(0, 80))
  })

  test('a handler of the caller says what the model hears of an attachment', async () => {
    const { summarizer, summaries, updates } = scripted()
    const session = await talk([PICTURE, ...said(2, 12)], { summarizer })
    session.setAttachmentSummaryHandler(async part => `one ${part.type}`)
    await session.resize({ force: 'lite' })
    expect(JSON.stringify(updates)).toContain('one image_url')
    await session.resize({ force: 'deep' })
    expect(JSON.stringify(summaries)).toContain('one audio')
    expect((await session.chat.segments())[0]?.summary).toContain(
      'Attachments:\n- one image_url\n- one audio',
    )
    session.setAttachmentSummaryHandler(() => {
      throw new Error('blind')
    })
    const before = session.currentHistory
    await session.append([PICTURE, ...said(14, 20)])
    expect(await session.resize({ force: 'deep' })).toMatchObject({
      outcome: 'failed',
      reason: 'Error',
      error: { message: 'blind' },
    })
    expect(session.currentHistory.slice(0, before.length)).toEqual(before)
  })

  test('deep works through what lite has trimmed, also where nothing else is to be folded', async () => {
    const { summarizer, calls } = scripted()
    const session = await talk(said(1, 12), { summarizer })
    await session.resize({ force: 'lite' })
    await session.append(said(13, 16))
    await session.resize({ force: 'lite' })
    expect((await session.chat.segments()).map(({ state }) => state)).toEqual(['provisional', 'provisional'])
    expect(calls).toEqual(['m', 'm'])
    expect(await session.resize({ force: 'deep' })).toMatchObject({ outcome: 'applied', type: 'deep' })
    expect(calls).toEqual(['m', 'm', 's'])
    expect(await session.chat.segments()).toMatchObject([
      { fromSeq: 1, toSeq: 14, messageCount: 14, summarizer: 'scripted', state: 'live', type: 'deep' },
    ])
    expect(session.currentHistory.slice(1).map(({ seq }) => seq)).toEqual([15, 16])
    // Once more there is nothing to do, and nothing is asked.
    expect(await session.resize({ force: 'deep' })).toMatchObject({ outcome: 'skipped', reason: 'force' })
    expect(calls).toEqual(['m', 'm', 's'])
    // With a rollback the log and its covers go back together.
    await session.chat.rollback(13)
    await session.refresh()
    const { messages, segments } = await session.chat.export()
    const shown = segments.filter(({ rolledInto }) => rolledInto === null)
    for (const { seq } of messages.filter(({ seq }) => seq <= 12))
      expect(shown.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq).length).toBeLessThan(2)
    expect(session.turns).toBe(13)
  })

  test('a model that is down keeps lite from nothing but the memo, and deep from everything', async () => {
    const down = () => new Error('down')
    const { summarizer } = scripted({ summarize: down, updateMemo: down })
    const session = await talk(said(1, 12), { summarizer })
    const before = await session.chat.export()
    expect(await session.resize({ force: 'deep' })).toMatchObject({ outcome: 'failed', reason: 'Error' })
    expect(await session.chat.export()).toEqual(before)
    expect(await session.resize({ force: 'lite' })).toMatchObject({
      outcome: 'applied',
      warnings: ['memo_failed: Error'],
    })
    expect([session.memo, session.memoCursor]).toEqual([{}, 0])
    expect(session.currentHistory.slice(1).map(({ seq }) => seq)).toEqual([11, 12])
  })

  test('without a model lite and deep go on, too, and deep still collects the attachments', async () => {
    const session = await talk([PICTURE, ...said(2, 12)])
    expect(await session.resize({ force: 'lite' })).toMatchObject({ outcome: 'applied' })
    const other = await opened[0]!.session('other', KEEP_TWO)
    await other.append([PICTURE, ...said(2, 12)])
    expect(await other.resize({ force: 'deep' })).toMatchObject({ outcome: 'applied' })
    expect(await session.chat.segments()).toMatchObject([{ state: 'live', summarizer: 'extractive' }])
    expect((await session.chat.segments())[0]?.summary).not.toContain('"ref":"voice-7.ogg"')
    expect((await other.chat.segments())[0]?.summary).toContain('"ref":"voice-7.ogg"')
  })

  test('the current history after lite and after deep is the same after a restart', async () => {
    const { summarizer } = scripted()
    const session = await talk([PICTURE, ...said(2, 12)], { summarizer })
    for (const force of ['lite', 'deep']) {
      await session.resize({ force })
      await session.append(said(13, 15))
      const again = await (await open({ summarizer })).session('chat', KEEP_TWO)
      expect(again.currentHistory).toEqual(session.currentHistory)
      expect([again.memo, again.memoCursor, again.turns, again.lastResizeTurn]).toEqual([
        session.memo,
        session.memoCursor,
        session.turns,
        session.lastResizeTurn,
      ])
    }
  })
})

test.for(EACH)('turns that version $version stored in $database are in messages', async ({ load }) => {
  await using place = await load()
  const store = await place.open()
  const classic = await createClassic({ store, indexing: 'off' })
  const session = await classic.session('classic', { everyNTurns: 4 })
  expect([session.turns, session.lastResizeTurn]).toEqual([7, 6])
  expect(await session.judgeResize()).toBe(null)
  await session.append(said(8, 10, 'x'))
  expect(await session.judgeResize()).toMatchObject({ reason: 'every_n_turns' })
  await classic.close()
})

type Step =
  | { readonly do: 'append'; readonly count: number }
  | { readonly do: 'resize'; readonly force: 'lite' | 'deep' | undefined }
  | { readonly do: 'rollback' | 'edit' | 'erase'; readonly share: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resize' as const),
      force: fc.constantFrom('lite' as const, 'deep' as const, undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('rollback' as const, 'edit' as const, 'erase' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
)

test('turns − lastResizeTurn ≥ n is what the rule says, whatever was done to the history', async () => {
  const place = sqlitePlace()
  const { summarizer } = scripted()
  const classic = await createClassic({ store: await place.open(), indexing: 'off', summarizer })
  let histories = 0
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        async (steps, n) => {
          const session = await classic.session(`history ${histories++}`, {
            everyNTurns: n,
            maxMessagesTextLength: 0,
            maxKeepMessagesCount: 0,
          })
          for (const step of steps) {
            await take(classic, session, step)
            const decision = await session.judgeResize()
            const isDue = session.turns - session.lastResizeTurn >= n
            assert.equal(decision?.reason ?? null, isDue && session.turns > 0 ? 'every_n_turns' : null)
            assert.equal(session.turns, session.fullHistory().length)
          }
        },
      ),
      { numRuns: runs(40, 300) },
    )
  } finally {
    await classic.close()
    await place.remove()
  }
})

async function take({ palimpsest }: Classic, session: ClassicSession, step: Step): Promise<void> {
  const { turns } = session
  if (step.do === 'append') await session.append(said(turns + 1, turns + step.count, 'x'))
  else if (step.do === 'resize') await session.resize(step.force ?? false)
  else if (turns > 0) {
    const messages = await session.chat.messages({ limit: 1_000 })
    const { seq } = messages[Math.min(messages.length - 1, Math.floor(messages.length * step.share))]!
    if (step.do === 'rollback') await session.chat.rollback(seq)
    else if (step.do === 'edit') await session.chat.edit(seq, 'other words')
    else {
      const { id } = await palimpsest.forget({ kind: 'messages', sessionId: session.id, seqs: [seq] })
      await palimpsest.erased(id)
    }
    await session.refresh()
  }
}
