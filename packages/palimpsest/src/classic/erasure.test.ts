import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bytesInFiles } from '../../../../test/erasure/bytes-in-files.ts'
import { PLACES, type StorePlace } from '../../../../test/stores.ts'
import { sqlite } from '../store/sqlite/index.ts'
import type { Summarizer } from '../summarizer/index.ts'
import {
  type Classic,
  type ClassicOptions,
  type ClassicSession,
  createClassic,
  type WindowMessage,
} from './index.ts'

/** Nothing else has this word. */
const WORD = 'zebra-5c1d77'
const QUIET = { everyNTurns: 0, maxMessagesTextLength: 0 }

/** Message 3 says it; each window tells of it, in words of its own or as it was said. */
async function fill(session: ClassicSession): Promise<void> {
  const filler = 'The harbour office wants to know before the ship sails. '.repeat(12)
  for (let round = 1; round <= 5; round++) {
    await session.append([
      { role: 'user', content: round === 2 ? `I want ${WORD}. ${filler}` : `Round ${round}. ${filler}` },
      { role: 'assistant', content: `The office knows of round ${round}. ${filler}` },
    ])
    session.setResizeHandlers({ lite: WINDOWS[round % WINDOWS.length]! })
    await session.resize({ force: 'lite' })
  }
}

const told: WindowMessage = { role: 'system', content: `They spoke of ${WORD}.`, note: { about: WORD } }
const WINDOWS = [
  (_full: unknown, current: WindowMessage[]) => ({
    current: [told, ...current.slice(-1)],
    memo: { want: WORD },
  }),
  (_full: unknown, current: WindowMessage[]) => ({ current: current.toReversed() }),
  // Of a message that stays raw, above the range that it stands for.
  (_full: unknown, current: WindowMessage[]) => ({ current: [current.at(-2)!, told, ...current.slice(-2)] }),
]

async function everything(session: ClassicSession): Promise<string> {
  await session.refresh()
  return JSON.stringify([
    await session.chat.export(),
    await session.chat.segments('all'),
    (await session.context({ budget: 100_000 })).toText(),
    session.currentHistory,
    session.memo,
    await session.fullHistory().toArray(),
  ])
}

describe.for(Object.entries(PLACES))('%s', ([, place]) => {
  test('a message that windows tell of is nowhere any more, and the others are told anew', async () => {
    const at = place()
    const classic = await createClassic({ store: await at.open(), settings: QUIET })
    const session = await classic.session('chat')
    await fill(session)
    expect(await everything(session)).toContain(WORD)
    const before = await session.chat.segments('all')
    const fork = await session.chat.fork('fork')
    const { id } = await classic.palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [3] })
    expect(await everything(session)).not.toContain(WORD)
    expect(await everything(await classic.session(fork.id))).not.toContain(WORD)
    await classic.palimpsest.erased(id)
    expect(await everything(session)).not.toContain(WORD)
    const after = await session.chat.segments('all')
    const place2 = ({ id, fromSeq, toSeq }: (typeof after)[number]) => [id, fromSeq, toSeq]
    expect(after.map(place2)).toEqual(before.map(place2))
    for (const { summary, window, state } of after) {
      expect([summary === '', window ?? null, state]).not.toEqual([true, null, 'live'])
      expect(state).not.toBe('dirty')
    }
    const [summary, ...raw] = session.currentHistory
    expect(summary).toMatchObject({ role: 'user', content: expect.stringContaining('round') })
    expect(raw.every(({ seq }) => seq !== undefined)).toBe(true)
    // It goes on as ever.
    session.setResizeHandlers({ lite: (_full, current) => ({ current: current.slice(-1) }) })
    await session.resize({ force: 'lite' })
    expect(session.currentHistory.length).toBe(1)
    await classic.close()
    await at.remove()
  })
})

/** A model that tells of the word wherever it has read of it. */
const parrot: Summarizer = {
  name: 'parrot',
  version: '1',
  summarize: async request => {
    const heard = JSON.stringify(request).includes(WORD) ? `of ${WORD}` : 'of nothing else'
    const text = `The harbour office was told several times before the ship sailed, and ${heard}.`
    const extracts = [{ text: `The office was told ${heard}`, on: '2026-01-15', seq: 3 }]
    return { text, events: [], details: [], memo: { heard }, extracts }
  },
}

describe.for(Object.entries(PLACES))('%s: what the engine folds after a window', ([, place]) => {
  let at: StorePlace
  let classic: Classic

  beforeEach(() => {
    at = place()
  })

  afterEach(async () => {
    await classic.close()
    await at.remove()
  })

  /** A window over two messages that tells of the twelfth; what the engine folds after it ends before that. */
  async function foldAfterWindow(options: Partial<ClassicOptions>): Promise<ClassicSession> {
    classic = await createClassic({ store: await at.open(), indexing: 'off', ...options })
    const session = await classic.session('chat')
    const filler = 'The harbour office wants to know before the ship sails. '.repeat(30)
    await session.append(
      Array.from({ length: 14 }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: index === 11 ? `I want ${WORD}.` : `Round ${index + 1}. ${filler}`,
      })),
    )
    const piers = Array.from(
      { length: 60 },
      (_, pier) => `The pier number ${pier} was closed on Monday by the harbour office.`,
    )
    const gist = `Important: they spoke of ${WORD} on 2026-05-04 at 12:30. ${piers.join(' ')}`
    session.setResizeHandlers({
      lite: (_full, current) => ({ current: [{ role: 'system', content: gist }, ...current.slice(2)] }),
    })
    await session.resize({ force: 'lite' })
    session.setResizeHandlers({ lite: null })
    for (const maxKeepMessagesCount of [9, 7, 5]) {
      session.setSettings({ maxKeepMessagesCount })
      expect(await session.resize({ force: 'deep' })).toMatchObject({ outcome: 'applied' })
    }
    return session
  }

  const engines: Readonly<Record<string, Partial<ClassicOptions>>> = {
    'condensed from it': { settings: { ...QUIET, budget: 3_000 } },
    'by a model that was shown it': {
      settings: QUIET,
      summarizer: parrot,
      memo: { instructions: ['What they heard.'] },
    },
  }

  test.for(Object.entries(engines))('%s, is made anew without what the window told', async ([, options]) => {
    const session = await foldAfterWindow(options)
    const before = await session.chat.segments('all')
    expect(before.filter(({ id, text }) => id > 1 && text.includes(WORD))).not.toEqual([])
    const { documents } = await session.chat.export()
    expect(JSON.stringify(documents).includes(WORD)).toBe(options.summarizer === parrot)
    const { id } = await classic.palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [12] })
    expect(await everything(session)).not.toContain(WORD)
    await classic.palimpsest.erased(id)
    expect(await everything(session)).not.toContain(WORD)
    const after = await session.chat.segments('all')
    expect(after.map(({ id, toSeq, text }) => [id, toSeq, text === ''])).toEqual(
      before.map(({ id, toSeq }) => [id, toSeq, false]),
    )
  })

  test.for(Object.entries(engines))('%s, goes with a rollback of it', async ([, options]) => {
    const session = await foldAfterWindow(options)
    await session.chat.rollback(11)
    await session.refresh()
    expect(JSON.stringify([await session.chat.segments('all'), session.memo])).not.toContain(WORD)
    expect(session.currentHistory.length).toBe(11)
    // Versions of documents keep what a rollback took out of them, until it is erased.
    const { id } = await classic.palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [12] })
    await classic.palimpsest.erased(id)
    expect(await everything(session)).not.toContain(WORD)
  })

  test('a memo of a turn before the window stays', async () => {
    classic = await createClassic({ store: await at.open(), indexing: 'off', settings: QUIET })
    const session = await classic.session('chat')
    const say = (from: number) =>
      session.append([
        { role: 'user', content: `message ${from}` },
        { role: 'assistant', content: `message ${from + 1}` },
      ])
    await say(1)
    session.setResizeHandlers({ lite: () => ({ current: [], memo: { step: 1 } }) })
    await session.resize({ force: 'lite' })
    await say(3)
    session.setResizeHandlers({ lite: () => ({ current: [told], memo: { step: 2 } }) })
    await session.resize({ force: 'lite' })
    await classic.palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [4] })
    await session.refresh()
    expect([session.memo, session.memoCursor]).toEqual([{ step: 1 }, 2])
  })
})

describe('in the bytes of a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-classic-'))
  let classic: Classic

  beforeEach(async () => {
    const store = sqlite(join(folder, 'test.db'), { durability: 'normal' })
    classic = await createClassic({ store, settings: QUIET })
  })

  afterEach(async () => {
    await classic.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('nothing is left of it either', async () => {
    const session = await classic.session('chat')
    await fill(session)
    await session.chat.rollback(9)
    expect(bytesInFiles(folder, WORD)).not.toEqual({})
    const { id } = await classic.palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [3] })
    await classic.palimpsest.erased(id)
    expect(bytesInFiles(folder, WORD)).toEqual({})
    expect(await everything(session)).not.toContain(WORD)
  })
})
