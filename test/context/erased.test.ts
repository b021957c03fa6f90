import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import type { ErasureTarget, Store } from '../../packages/palimpsest/src/store/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'

const CANARY = 'zanzibarium'
const NOW = Date.UTC(2026, 2, 2, 9)

/** What a process remembers of contexts that it made must not bring back what was erased since, by whomever. */
describe('contexts of a process that knew what was erased', () => {
  let place: StorePlace
  let store: Store
  let palimpsest: Palimpsest

  beforeEach(async () => {
    place = sqlitePlace()
    store = await place.open()
    palimpsest = await createPalimpsest({
      store,
      folding: 'manual',
      policy: tokens({ budget: 6_000 }),
      // It stands still, so that nothing is told apart by time.
      clock: () => NOW,
    })
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  /** As another process would: nothing of this one hears of it. */
  async function erase(target: ErasureTarget): Promise<void> {
    let record = await store.erasure.beginErasure('default', { target, now: NOW })
    while (record.stage === 'erasing')
      record = await store.erasure.continueErasure('default', { id: record.id, now: NOW })
  }

  /** For the usual call, for a view, and as text. */
  async function shown(session: Session): Promise<string> {
    const contexts = [await session.context(), await session.context({ budget: 3_000 })]
    return JSON.stringify(contexts.map(({ instructions, messages }) => ({ instructions, messages })))
  }

  const open = () => palimpsest.session('chat', { kind: 'private', user: 'ann' })

  it('show no message of it', async () => {
    const session = open()
    await session.append({ role: 'user', content: CANARY })
    await session.append({ role: 'user', content: 'kept' })
    expect(await shown(session)).toContain(CANARY)
    await erase({ kind: 'messages', sessionId: 'chat', seqs: [1] })
    expect(await shown(session)).not.toContain(CANARY)
    expect(await shown(session)).toContain('kept')
  })

  it('take no session for another one of the same name', async () => {
    for (let round = 0; round < 3; round++) {
      const session = open()
      await session.append({ role: 'user', content: `${CANARY} ${round}` })
      await session.append({ role: 'assistant', content: 'yes' })
      expect(await shown(session)).toContain(`${CANARY} ${round}`)
      await erase({ kind: 'session', sessionId: 'chat' })
      await expect(session.context()).rejects.toThrow('no session')
      await session.append({ role: 'user', content: 'anew' })
      await session.append({ role: 'assistant', content: 'yes' })
      expect(await shown(session)).not.toContain(CANARY)
      expect(await shown(session)).toContain('anew')
      await erase({ kind: 'session', sessionId: 'chat' })
    }
  })

  it('show no memory of it that was frozen', async () => {
    const session = open()
    await session.append({ role: 'user', content: 'hello' })
    await palimpsest.memory.user('ann').append('- likes tea')
    await store.documents.changeDocuments([
      {
        key: { namespace: 'default', layer: 'user', key: 'ann' },
        change: current => ({
          content: `${current!.content}- ${CANARY}\n`,
          tokens: 20,
          facts: [
            {
              line: `- ${CANARY}`,
              subject: 'ann',
              origin: { sessionId: 'chat', fromSeq: 1, toSeq: 1 },
              saidAt: new Date(NOW),
              on: null,
              from: 'extraction',
            },
          ],
        }),
        author: { kind: 'extraction', name: 'test' },
        sources: [],
        now: NOW,
      },
    ])
    // Another session of the same person, which is not touched itself.
    const other = palimpsest.session('other', { kind: 'private', user: 'ann' })
    await other.append({ role: 'user', content: 'hello, too' })
    expect(await shown(other)).toContain(CANARY)
    const { epoch } = (await store.sessions.readSession({ namespace: 'default', id: 'other' }))!
    await erase({ kind: 'messages', sessionId: 'chat', seqs: [1] })
    const view = await other.context({ budget: 3_000 })
    expect(JSON.stringify(view)).not.toContain(CANARY)
    expect((await store.sessions.readSession({ namespace: 'default', id: 'other' }))?.epoch).toBe(epoch)
    const told = await shown(other)
    expect(told).not.toContain(CANARY)
    expect(told).toContain('likes tea')
    const after = (await store.sessions.readSession({ namespace: 'default', id: 'other' }))!
    expect(after.epoch).toBe(epoch + 1)
    expect(after.layers?.versions).toEqual([expect.objectContaining({ layer: 'user', version: 4 })])
  })

  it('take no document for another one of the same key', async () => {
    const session = open()
    await session.append({ role: 'user', content: 'hello' })
    await session.memory.append(`- ${CANARY}`)
    expect(await shown(session)).toContain(CANARY)
    await erase({ kind: 'session', sessionId: 'chat' })
    await session.append({ role: 'user', content: 'anew' })
    await session.memory.append('- harmless')
    const told = await shown(session)
    expect(told).not.toContain(CANARY)
    expect(told).toContain('harmless')
  })

  it('refuses to undo a version that was erased', async () => {
    const session = open()
    await session.append({ role: 'user', content: 'hello' })
    const memory = palimpsest.memory.user('ann')
    await memory.append('- one')
    await store.documents.changeDocuments([
      {
        key: { namespace: 'default', layer: 'user', key: 'ann' },
        change: current => ({
          content: `${current!.content}- ${CANARY}\n`,
          tokens: 20,
          facts: [
            {
              line: `- ${CANARY}`,
              subject: null,
              origin: { sessionId: 'chat', fromSeq: 1, toSeq: 1 },
              saidAt: new Date(NOW),
              on: null,
              from: 'tool',
            },
          ],
        }),
        author: { kind: 'tool', name: 'test' },
        sources: [],
        now: NOW,
      },
    ])
    await memory.append('- three')
    await erase({ kind: 'messages', sessionId: 'chat', seqs: [1] })
    await expect(memory.undo({ version: 2 })).rejects.toThrow('erased')
    expect((await memory.undo({ version: 6 })).content).not.toContain('three')
    expect((await memory.versions()).every(({ content }) => !content.includes(CANARY))).toBe(true)
  })
})
