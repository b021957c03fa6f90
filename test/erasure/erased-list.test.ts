import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readLine } from '../../packages/palimpsest/src/erasure/erased-line.ts'
import { ErasedList, readList } from '../../packages/palimpsest/src/erasure/erased-list.ts'
import {
  createPalimpsest,
  type ErasureReceipt,
  type Palimpsest,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { sqliteBeside } from '../stores.ts'
import { ANN, ANNS_CHAT, CANARIES, fill, GROUP, World } from './world.ts'

const SOON = { timeout: 60_000, interval: 50 }

let world: World

beforeEach(() => {
  world = new World()
})

afterEach(() => world.remove())

const list = () => `${world.file}.erased`
const key = () => `${list()}-key`
const text = () => readFileSync(list(), 'utf8')
const ids = async () => (await readList(list()))!.filter(line => 'kind' in line).map(({ id }) => id)

async function say(palimpsest: Palimpsest, id: string, ...texts: readonly string[]): Promise<void> {
  await palimpsest
    .session(id, { user: ANN })
    .append(texts.map(content => ({ role: 'user', sender: { id: ANN }, content })))
}

function backups({ places }: ErasureReceipt) {
  return places.find(({ place }) => place === 'backups')
}

describe('the list of what was erased', () => {
  test('has a line for each erasure before it is acknowledged, without a name or a word', async () => {
    const palimpsest = await world.open()
    await fill(palimpsest, { rounds: 3 })
    expect(existsSync(list())).toBe(false)
    const targets = [
      { kind: 'messages', sessionId: GROUP, seqs: [1] },
      { kind: 'session', sessionId: ANNS_CHAT },
      { kind: 'person', id: ANN },
      { kind: 'namespace' },
    ] as const
    for (const target of targets) {
      const receipt = await palimpsest.forget(target)
      expect(backups(receipt)).toEqual({ place: 'backups', count: 0, state: 'done' })
      expect((await ids()).length).toBe(targets.indexOf(target) + 1)
    }
    const lines = (await readList(list()))!
    expect(lines.flatMap(line => ('kind' in line ? [line.kind] : []))).toEqual(
      targets.map(({ kind }) => kind),
    )
    for (const word of [...CANARIES, GROUP, 'default']) expect(text()).not.toContain(word)
    for (const file of [list(), key()]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(key(), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    await palimpsest.close()
    const secret = readFileSync(key(), 'utf8').trim()
    expect(world.found([secret])).toEqual({ [secret]: { 'test.db.erased-key': 1 } })
    const database = sqliteBeside(`sqlite:${world.file}`, { readOnly: true })
    const rows = database.prepare('SELECT list_id FROM erasures ORDER BY id').all()
    database.close()
    expect(rows.map(({ list_id }) => list_id)).toEqual(await ids())
  })

  test('names all sessions that have a message by forks', async () => {
    const palimpsest = await world.open()
    await say(palimpsest, 'one', 'a', 'b', 'c')
    const fork = await palimpsest.session('one').fork('two', 2)
    await fork.fork('three', 2)
    await say(palimpsest, 'two', 'other than c')
    await palimpsest.forget({ kind: 'messages', sessionId: 'three', seqs: [2] })
    await palimpsest.forget({ kind: 'messages', sessionId: 'one', seqs: [1, 3] })
    const [deepest, oldest] = (await readList(list()))!.flatMap(line =>
      'kind' in line ? [line.sessions] : [],
    )
    expect(deepest?.map(({ seqs }) => seqs)).toEqual([[2], [2], [2]])
    expect(oldest?.map(({ seqs }) => seqs)).toEqual([[1, 3], [1], [1]])
    expect(new Set(deepest?.map(({ session }) => session))).toEqual(
      new Set(oldest?.map(({ session }) => session)),
    )
  })

  test.for(['by this version', 'by the version before'])(
    'is filled in by the next process where one ended before, begun %s',
    async by => {
      const first = await world.open()
      await say(first, 'chat', 'hello')
      await first.close()
      const store = sqlite(world.file)
      await store.open()
      const target = { kind: 'session', sessionId: 'chat' } as const
      const listId = by === 'by this version' ? 'from-the-start' : undefined
      const { id } = await store.erasure.beginErasure('default', {
        target,
        now: Date.now(),
        ...(listId && { listId }),
      })
      await store.close()
      expect(existsSync(list())).toBe(false)
      const next = await world.open({ folding: 'background' })
      await vi.waitFor(async () => expect((await next.erasure(id))?.done).toBe(true), SOON)
      expect(await ids()).toEqual([listId ?? expect.stringMatching(/^[0-9a-f]{32}$/)])
      expect(backups((await next.erasure(id))!)).toEqual({ place: 'backups', count: 0, state: 'done' })
    },
  )

  test('that cannot be written keeps an erasure from being done, and nothing else', async () => {
    const palimpsest = await world.open()
    await fill(palimpsest, { rounds: 3 })
    mkdirSync(list())
    const begun = await palimpsest.forget({ kind: 'person', id: ANN })
    expect(backups(begun)).toMatchObject({ state: 'pending', note: expect.stringContaining('EISDIR') })
    const waiting = await palimpsest.erased(begun.id)
    expect(waiting).toMatchObject({ done: false, target: { kind: 'person', id: ANN } })
    expect(world.errors).toHaveLength(1)
    // All but the record itself, which has to say whom it is about as long as the list does not.
    await vi.waitFor(() => expect(Object.keys(world.found())).toEqual([ANN]), SOON)
    rmdirSync(list())
    await vi.waitFor(async () => expect((await palimpsest.erasure(begun.id))?.done).toBe(true), SOON)
    expect(await ids()).toHaveLength(1)
    expect(world.found()).toEqual({})
  })

  test('goes on after a line that was torn', async () => {
    const palimpsest = await world.open()
    for (const id of ['one', 'two']) await say(palimpsest, id, 'hello')
    await palimpsest.forget({ kind: 'session', sessionId: 'one' })
    appendFileSync(list(), text().slice(0, 40))
    await palimpsest.forget({ kind: 'session', sessionId: 'two' })
    expect(await ids()).toHaveLength(2)
    expect(
      text()
        .split('\n')
        .filter(Boolean)
        .filter(line => readLine(line) === null),
    ).toHaveLength(1)
  })

  test('is written by several at once', async () => {
    const [list, count] = [`${world.root}/shared`, 20]
    const writers = ['a', 'b', 'c'].map(id => new ErasedList(list, async () => id))
    await Promise.all(
      writers.flatMap((writer, place) =>
        Array.from({ length: count }, (_, number) =>
          writer.add({
            id: `${place}/${number}`,
            at: new Date(),
            namespace: 'default',
            target: { kind: 'person', id: `${number}` },
          }),
        ),
      ),
    )
    const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean).map(readLine)
    expect(lines).toHaveLength(writers.length * count)
    expect(new Set(lines.map(line => line && 'key' in line && line.key)).size).toBe(1)
    for (const writer of writers) expect(await writer.has('2/19')).toBe(true)
    expect(await writers[0]!.has('2/20')).toBe(false)
  })

  test('takes no new key where there are lines under another', async () => {
    const palimpsest = await world.open()
    for (const id of ['one', 'two', 'three']) await say(palimpsest, id, 'hello')
    await palimpsest.forget({ kind: 'session', sessionId: 'one' })
    const kept = readFileSync(key())
    rmSync(key())
    const receipt = await palimpsest.forget({ kind: 'session', sessionId: 'two' })
    expect(backups(receipt)).toMatchObject({
      state: 'pending',
      note: expect.stringContaining('Put the key back'),
    })
    expect(existsSync(key())).toBe(false)
    appendFileSync(key(), kept)
    await vi.waitFor(async () => expect((await palimpsest.erasure(receipt.id))?.done).toBe(true), SOON)
    // Who moves both away begins anew.
    for (const file of [list(), key()]) rmSync(file)
    const last = await palimpsest.forget({ kind: 'session', sessionId: 'three' })
    expect(backups(last)?.state).toBe('done')
    expect(await ids()).toHaveLength(1)
  })

  test('is where it is said to be, and nowhere for what is in memory only', async () => {
    const elsewhere = `${world.root}/elsewhere`
    const palimpsest = await world.open({ erasedList: elsewhere })
    await say(palimpsest, 'one', 'hello')
    await palimpsest.forget({ kind: 'session', sessionId: 'one' })
    expect([existsSync(list()), existsSync(elsewhere), existsSync(`${elsewhere}-key`)]).toEqual([
      false,
      true,
      true,
    ])
    for (const options of [
      { store: sqlite(':memory:') },
      { store: sqlite(`${world.root}/other.db`), erasedList: false as const },
    ]) {
      await using other = await createPalimpsest({ ...options, folding: 'manual' })
      const receipt = await other.forget({ kind: 'person', id: ANN })
      expect(backups(receipt)).toBeUndefined()
      expect((await other.erased(receipt.id)).done).toBe(true)
    }
    expect(existsSync(`${world.root}/other.db.erased`)).toBe(false)
    await expect(world.open({ erasedList: ' ' })).rejects.toThrow('erasedList')
  })
})
