import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bytesInFiles } from '../../test/erasure/bytes-in-files.ts'
import { PLACES } from '../../test/stores.ts'
import { sqlite } from '../store/sqlite/index.ts'
import { type Classic, type ClassicSession, createClassic, type WindowMessage } from './index.ts'

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
