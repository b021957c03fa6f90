import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type ErasureReceipt,
  type ErasureTarget,
  type Palimpsest,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { sqliteBeside } from '../stores.ts'
import {
  ANN,
  ANNS_CHAT,
  BOBS_CHAT,
  CANARIES,
  expectUnseen,
  FORK,
  fill,
  GROUP,
  NAME,
  othersOf,
  WORDS,
  World,
} from './world.ts'

let world: World
let palimpsest: Palimpsest

beforeEach(async () => {
  world = new World()
  palimpsest = await world.open()
  await fill(palimpsest)
})

afterEach(async () => {
  await world.remove()
  expect(world.errors).toEqual([])
})

const stateOf = ({ places }: ErasureReceipt, wanted: string) => places.find(({ place }) => place === wanted)
const pending = ({ places }: ErasureReceipt) =>
  places.filter(({ state }) => state === 'pending').map(({ place }) => place)
const PERSON: ErasureTarget = { kind: 'person', id: ANN }
/** What happens by itself takes its time on a busy machine. */
const SOON = { timeout: 30_000 }

describe('a person', () => {
  it('is nowhere any more, and nobody else has lost anything', async () => {
    expect(Object.keys(world.found())).toEqual(CANARIES)
    const others = await othersOf(palimpsest)
    const receipt = await palimpsest.forget(PERSON)
    expect(receipt).toMatchObject({ target: PERSON })
    await expectUnseen(palimpsest)
    expect(stateOf(receipt, 'messages')?.count).toBeGreaterThan(20)
    const done = await palimpsest.erased(receipt.id)
    expect(done).toMatchObject({ id: receipt.id, done: true, target: null })
    expect(pending(done)).toEqual([])
    expect(stateOf(done, 'files')?.count).toBeGreaterThan(0)
    expect(world.found()).toEqual({})
    expect(await othersOf(palimpsest)).toEqual(others)
    await palimpsest.close()
    expect(world.found()).toEqual({})
  })

  it('leaves segments that tell of the others, and contexts that hold them', async () => {
    const before = await palimpsest.session(GROUP).segments('all')
    expect(before.map(({ level }) => level)).toContain(2)
    const receipt = await palimpsest.forget(PERSON)
    expect(stateOf(receipt, 'segments')).toMatchObject({ state: 'done' })
    const after = await palimpsest.session(GROUP).segments('all')
    expect(after.map(({ id, fromSeq, toSeq, level }) => [id, fromSeq, toSeq, level])).toEqual(
      before.map(({ id, fromSeq, toSeq, level }) => [id, fromSeq, toSeq, level]),
    )
    for (const { text, state, messageCount } of after) {
      expect(text).toMatch(/Bob|office/)
      expect(state).not.toBe('dirty')
      expect(messageCount).toBeGreaterThan(0)
    }
    const { report } = await palimpsest.session(GROUP).context()
    expect(report.blocks.map(({ name }) => name)).toContain('session_memory')
  })

  it('who comes back begins anew', async () => {
    await palimpsest.erased((await palimpsest.forget(PERSON)).id)
    const chat = palimpsest.session(ANNS_CHAT, { user: ANN })
    await chat.append({ role: 'user', sender: { id: ANN, name: NAME }, content: 'Hello again' })
    await palimpsest.memory.user(ANN).append('- is back')
    const context = await chat.context()
    expect(context.toText()).toContain('Hello again')
    expect(context.toText()).not.toContain(WORDS)
    expect(await chat.count()).toBe(1)
    expect((await palimpsest.memory.user(ANN).read())?.content).not.toContain(WORDS)
    await palimpsest.syncWorkspace()
    expect(world.found([WORDS])).toEqual({})
  })

  it('of whom nothing is known is forgotten all the same', async () => {
    const receipt = await palimpsest.forget({ kind: 'person', id: 'nobody-3d1f' })
    expect(await palimpsest.erased(receipt.id)).toMatchObject({ done: true })
    expect(world.found(['nobody-3d1f'])).toEqual({})
  })
})

describe('a session', () => {
  it('goes with all that is its own, and its forks lose what they took from it', async () => {
    const others = await othersOf(palimpsest)
    const { id } = await palimpsest.forget({ kind: 'session', sessionId: ANNS_CHAT })
    expect(await palimpsest.session(ANNS_CHAT).info()).toBe(null)
    await palimpsest.erased(id)
    expect(world.found([ANNS_CHAT])).toEqual({})
    expect(await othersOf(palimpsest)).toEqual(others)
    expect((await palimpsest.sessions()).map(session => session.id)).toEqual([GROUP, FORK, BOBS_CHAT])
    const second = await palimpsest.forget({ kind: 'session', sessionId: GROUP })
    await palimpsest.erased(second.id)
    expect(await palimpsest.session(FORK).count()).toBe(0)
  })

  it('that is not there is an error, and nothing was begun', async () => {
    await expect(palimpsest.forget({ kind: 'session', sessionId: 'nobody' })).rejects.toMatchObject({
      code: 'session_not_found',
    })
    await expect(
      palimpsest.forget({ kind: 'messages', sessionId: GROUP, seqs: [1, 9_999] }),
    ).rejects.toMatchObject({ code: 'message_not_found' })
    expect(await palimpsest.erasure(1)).toBe(null)
  })
})

it('messages go one by one, from forks too, and the others stay where they are', async () => {
  const group = palimpsest.session(GROUP)
  const all = await group.messages({ limit: 1_000 })
  const seqs = all.filter(({ sender }) => sender?.id === ANN).map(({ seq }) => seq)
  for (const some of [seqs.slice(0, 5), seqs.slice(5)]) {
    const { id } = await palimpsest.forget({ kind: 'messages', sessionId: GROUP, seqs: some })
    await palimpsest.erased(id)
  }
  expect((await group.messages({ limit: 1_000 })).map(({ seq }) => seq)).toEqual(
    all.map(({ seq }) => seq).filter(seq => !seqs.includes(seq)),
  )
  expect(JSON.stringify(await group.export())).not.toContain(WORDS)
  expect(JSON.stringify(await palimpsest.session(FORK).export())).not.toContain(WORDS)
  // The platform delivers one of them again: it is known, and stays erased.
  const [first] = all
  const again = await group.append({ role: 'user', content: 'again', externalId: first!.externalId! })
  expect(again.messages).toMatchObject([{ seq: first!.seq, duplicate: true }])
})

it('a namespace: nothing is left of it, and another one has lost nothing', async () => {
  const store = await world.open({ namespace: 'other', workspace: join(world.root, 'other') })
  await fill(store, { rounds: 2 })
  const before = await othersOf(store)
  const mine = await store.session(ANNS_CHAT).export()
  const { id } = await palimpsest.forget({ kind: 'namespace' })
  expect(await palimpsest.erased(id)).toMatchObject({ done: true })
  expect(await palimpsest.sessions()).toEqual([])
  expect(await palimpsest.memory.list()).toEqual([])
  expect(readdirSync(join(world.folder, 'users'))).toEqual([])
  expect(readdirSync(join(world.folder, 'memory'))).toEqual([])
  expect(await othersOf(store)).toEqual(before)
  expect(await store.session(ANNS_CHAT).export()).toEqual(mine)
})

it('somebody who still reads keeps the bytes until the end of that, and no longer', async () => {
  const reader = sqliteBeside(world.file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM messages').get()
  const { id } = await palimpsest.forget(PERSON)
  await expectUnseen(palimpsest)
  const soon = () => palimpsest.erased(id, { signal: AbortSignal.timeout(500) })
  await vi.waitFor(async () => expect(pending(await soon())).toEqual(['database']), SOON)
  expect(world.found()).not.toEqual({})
  await palimpsest.session(BOBS_CHAT).append({ role: 'user', content: 'Appends go on' })
  reader.exec('COMMIT')
  reader.close()
  expect(await palimpsest.erased(id)).toMatchObject({ done: true })
  expect(world.found()).toEqual({})
})

it('many at once share their scrubs', async () => {
  const stages: string[] = []
  await palimpsest.close()
  const store = sqlite(world.file, { durability: 'normal' })
  const scrub = vi.spyOn(store.erasure, 'scrub')
  palimpsest = await world.open({ store, onErasure: ({ id, stage }) => stages.push(`${id} ${stage}`) })
  const targets: ErasureTarget[] = [1, 5, 9, 13, 17].map(seq => ({
    kind: 'messages',
    sessionId: GROUP,
    seqs: [seq],
  }))
  const receipts = await Promise.all([...targets, PERSON].map(target => palimpsest.forget(target)))
  for (const { id } of receipts) expect(await palimpsest.erased(id)).toMatchObject({ done: true })
  expect(scrub.mock.calls.length).toBeLessThan(4)
  for (const { id } of receipts)
    expect(stages.filter(stage => stage.startsWith(`${id} `))).toEqual(
      ['erasing', 'rebuilding', 'files', 'scrubbing', 'done'].map(stage => `${id} ${stage}`),
    )
  expect(world.found()).toEqual({})
})
