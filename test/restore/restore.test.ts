import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type ErasureTarget,
  type Palimpsest,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import {
  ANN,
  ANNS_CHAT,
  BOBS_CHAT,
  CANARIES,
  expectUnseen,
  FORK,
  fill,
  GROUP,
  othersOf,
  WORDS,
} from '../erasure/world.ts'
import { forgetWholly, House } from './kit.ts'

let house: House

beforeEach(() => {
  house = new House()
})

afterEach(() => house.remove())

async function say(palimpsest: Palimpsest, id: string, ...texts: readonly string[]): Promise<void> {
  await palimpsest.session(id).append(texts.map(content => ({ role: 'user', sender: { id: 'u' }, content })))
}

async function said(palimpsest: Palimpsest, id: string): Promise<readonly unknown[]> {
  return (await palimpsest.session(id).messages({ limit: 100 })).map(({ content }) => content)
}

/** Of the database alone: what lies beside it under other names is the operator's. */
function foundIn(file: string, words: readonly string[] = CANARIES): readonly string[] {
  const bytes = ['', '-wal', '-shm', '.erased', '.erased-key']
    .filter(end => existsSync(`${file}${end}`))
    .map(end => readFileSync(`${file}${end}`))
  return words.filter(word => bytes.some(each => each.includes(word)))
}

/** With a life before the backup and after it. */
async function live(targets: readonly ErasureTarget[]): Promise<unknown> {
  const palimpsest = await house.open()
  await fill(palimpsest, { rounds: 4 })
  const others = await othersOf(palimpsest)
  await house.backUp()
  await say(palimpsest, BOBS_CHAT, 'after the backup')
  for (const target of targets) await forgetWholly(palimpsest, target)
  await palimpsest.close()
  return others
}

describe('what was erased after the backup', () => {
  test('of a person is gone again, down to the bytes, and nothing else is', async () => {
    const others = await live([{ kind: 'person', id: ANN }])
    expect(foundIn(house.backup)).toEqual([...CANARIES])
    const restored = await house.restore()
    expect(restored).toMatchObject({
      erased: { messages: 0, session: 0, person: 1, namespace: 0 },
      withoutTarget: 0,
      generation: 2,
      files: [],
    })
    expect(foundIn(house.file)).toEqual([])
    const palimpsest = await house.open()
    await expectUnseen(palimpsest)
    expect(await othersOf(palimpsest)).toEqual(others)
    expect(await said(palimpsest, BOBS_CHAT)).not.toContain('after the backup')
  })

  test.for<[string, readonly ErasureTarget[], readonly string[]]>([
    ['a session', [{ kind: 'session', sessionId: ANNS_CHAT }], [ANNS_CHAT]],
    ['messages, of forks too', [{ kind: 'messages', sessionId: GROUP, seqs: [1] }], ['before I thought']],
    [
      'messages of a fork, of its origin too',
      [{ kind: 'messages', sessionId: FORK, seqs: [1] }],
      ['before I thought'],
    ],
    ['a namespace', [{ kind: 'namespace' }], [...CANARIES, BOBS_CHAT]],
    [
      'one after the other',
      [
        { kind: 'messages', sessionId: GROUP, seqs: [1] },
        { kind: 'session', sessionId: FORK },
        { kind: 'person', id: ANN },
        { kind: 'namespace' },
      ],
      [...CANARIES, BOBS_CHAT],
    ],
  ])('of %s is gone again', async ([, targets, words]) => {
    await live(targets)
    expect(foundIn(house.backup, words)).toEqual(words)
    const { erased } = await house.restore()
    expect(Object.values(erased).reduce((sum, count) => sum + count, 0)).toBe(targets.length)
    expect(foundIn(house.file, words)).toEqual([])
  })

  test('stays gone where it is in a session that was forked off after the backup', async () => {
    const palimpsest = await house.open()
    await say(palimpsest, 'one', 'hello', WORDS, 'bye')
    await house.backUp()
    await palimpsest.session('one').fork('two', 3)
    await forgetWholly(palimpsest, { kind: 'messages', sessionId: 'two', seqs: [2] })
    await palimpsest.close()
    await house.restore()
    expect(foundIn(house.file, [WORDS])).toEqual([])
    expect(await said(await house.open(), 'one')).toEqual(['hello', 'bye'])
  })

  test('is not done again to what came later, nor to another of the same name', async () => {
    let palimpsest = await house.open()
    await say(palimpsest, 'one', 'first')
    await house.backUp()
    await say(palimpsest, 'one', 'second')
    await say(palimpsest, 'new', 'new')
    await forgetWholly(palimpsest, { kind: 'messages', sessionId: 'one', seqs: [2] })
    await forgetWholly(palimpsest, { kind: 'session', sessionId: 'new' })
    await forgetWholly(palimpsest, { kind: 'person', id: 'unknown' })
    await palimpsest.close()
    expect(await house.restore()).toMatchObject({
      erased: { messages: 1, session: 0, person: 0 },
      withoutTarget: 2,
    })
    palimpsest = await house.open()
    await say(palimpsest, 'one', 'second again')
    await say(palimpsest, 'new', 'new again')
    await palimpsest.close()
    const second = `${house.root}/second.db`
    await house.backUp(second)
    expect(await house.restore({ backup: second })).toMatchObject({
      erased: { messages: 0, session: 0, person: 0, namespace: 0 },
      withoutTarget: 0,
      generation: 3,
    })
    palimpsest = await house.open()
    expect(await said(palimpsest, 'one')).toEqual(['first', 'second again'])
    expect(await said(palimpsest, 'new')).toEqual(['new again'])
    // An older backup has none of them yet.
    await palimpsest.close()
    expect(await house.restore()).toMatchObject({ withoutTarget: 2, generation: 4 })
  })

  test('goes on where the backup was made in the middle of it', async () => {
    const palimpsest = await house.open()
    await fill(palimpsest, { rounds: 3 })
    await palimpsest.close()
    const store = sqlite(house.file)
    await store.open()
    const target = { kind: 'person', id: ANN } as const
    const { id } = await store.erasure.beginErasure('default', { target, now: Date.now(), listId: 'begun' })
    await store.erasure.continueErasure('default', { id, now: Date.now() })
    await house.backUp()
    await store.close()
    const next = await house.open()
    expect((await next.erased(id)).done).toBe(true)
    await next.close()
    expect(await house.restore()).toMatchObject({ erased: { person: 0 }, withoutTarget: 0 })
    expect(foundIn(house.file)).toEqual([])
  })
})

describe('the list of what was erased', () => {
  test('is not needed where the database itself says that nothing was erased since', async () => {
    const palimpsest = await house.open()
    await say(palimpsest, 'one', 'hello')
    await house.backUp()
    await say(palimpsest, 'one', 'more')
    await palimpsest.close()
    expect(await house.restore()).toMatchObject({ list: null, generation: 2 })
    expect(await said(await house.open(), 'one')).toEqual(['hello'])
  })

  test('is needed where the database is gone, unless the operator says otherwise', async () => {
    await live([{ kind: 'person', id: ANN }])
    const elsewhere = `${house.root}/elsewhere`
    mkdirSync(elsewhere)
    const path = `${elsewhere}/new.db`
    await expect(house.restore({ path })).rejects.toMatchObject({
      code: 'erased_list_missing',
      message: expect.stringContaining('--erased-list FILE'),
    })
    expect(readdirSync(elsewhere)).toEqual([])
    expect(await house.restore({ path, erasedList: house.list })).toMatchObject({
      erased: { person: 1 },
      aside: null,
    })
    // It came along, for what is erased from now on and for the next restore.
    expect(readdirSync(elsewhere).sort()).toEqual(['new.db', 'new.db.erased', 'new.db.erased-key'])
    expect(foundIn(path)).toEqual([])
    expect(await house.restore({ path, erasedList: house.list })).toMatchObject({ erased: { person: 1 } })
    rmSync(path)
    rmSync(`${path}.erased`)
    expect(await house.restore({ path, withoutList: true })).toMatchObject({
      erased: { person: 0 },
      list: null,
    })
    expect(foundIn(path)).toEqual([...CANARIES])
  })

  test('is refused where it is not whole, or of another database, or without its key', async () => {
    await live([
      { kind: 'session', sessionId: FORK },
      { kind: 'person', id: ANN },
    ])
    const refused = (options = {}) =>
      expect(house.restore(options)).rejects.toMatchObject({ code: 'erased_list_missing' })
    const whole = readFileSync(house.list, 'utf8')
    writeFileSync(house.list, `${whole.split('\n')[0]}\n`)
    await refused()
    writeFileSync(house.list, whole)
    renameSync(`${house.list}-key`, `${house.list}-lost`)
    await refused()
    writeFileSync(`${house.list}-key`, `${'ab'.repeat(32)}\n`)
    await refused()
    renameSync(`${house.list}-lost`, `${house.list}-key`)
    await refused({ erasedList: `${house.root}/none` })
    await using other = await createPalimpsest({ store: sqlite(`${house.root}/other.db`) })
    await other.forget({ kind: 'person', id: 'x' })
    await refused({ path: `${house.root}/new.db`, erasedList: `${house.root}/other.db.erased` })
    expect(readdirSync(house.root).filter(name => name.includes('restor'))).toEqual([])
    await house.restore()
    expect(foundIn(house.file)).toEqual([])
  })

  test('of a database that an earlier version erased from is refused as well', async () => {
    await live([{ kind: 'person', id: ANN }])
    const database = new DatabaseSync(house.file)
    database.exec('UPDATE erasures SET list_id = NULL')
    database.close()
    await expect(house.restore()).rejects.toMatchObject({
      code: 'erased_list_missing',
      details: { erasures: 1 },
      message: expect.stringContaining('earlier version'),
    })
  })

  test('may be elsewhere for good', async () => {
    const erasedList = `${house.root}/safe`
    const palimpsest = await house.open({ erasedList })
    await fill(palimpsest, { rounds: 3 })
    await house.backUp()
    await forgetWholly(palimpsest, { kind: 'person', id: ANN })
    await palimpsest.close()
    expect(await house.restore({ erasedList, staysInPlace: true })).toMatchObject({ erased: { person: 1 } })
    expect(existsSync(house.list)).toBe(false)
    expect(foundIn(house.file)).toEqual([])
  })
})

describe('the files', () => {
  beforeEach(async () => {
    await live([{ kind: 'person', id: ANN }])
  })

  test('of the old database are kept, and no log of it is beside the new one', async () => {
    const { aside } = await house.restore()
    expect(aside).toMatch(/live\.db\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)
    expect(readdirSync(house.root).filter(name => /-(wal|shm|journal)$/.test(name))).toEqual([])
    await using old = await createPalimpsest({ store: sqlite(aside!), folding: 'manual' })
    expect(await said(old, BOBS_CHAT)).toContain('after the backup')
    expect(statSync(house.file).mode & 0o777).toBe(0o600)
    // And back again: it is a later generation than either.
    await old.close()
    const { generation } = await house.restore({ backup: aside! })
    expect(generation).toBe(3)
    expect(await said(await house.open(), BOBS_CHAT)).toContain('after the backup')
  })

  test('are left alone while another process has the database open', async () => {
    const other = await house.open()
    await expect(house.restore()).rejects.toMatchObject({
      code: 'store_busy',
      message: expect.stringContaining('Stop servers, bots'),
    })
    await say(other, BOBS_CHAT, 'still here')
    await other.close()
    await house.restore()
  })

  test('of a damaged database are kept with its log', async () => {
    const killed = `${house.root}/killed.db`
    const writer = await house.open()
    await say(writer, BOBS_CHAT, 'in the log')
    for (const end of ['', '-wal', '-shm']) copyFileSync(`${house.file}${end}`, `${killed}${end}`)
    copyFileSync(house.list, `${killed}.erased`)
    copyFileSync(`${house.list}-key`, `${killed}.erased-key`)
    await writer.close()
    writeFileSync(killed, Buffer.alloc(40_000, 'x'))
    const { aside, wasDamaged } = await house.restore({ path: killed })
    expect(wasDamaged).toBe(true)
    expect(existsSync(`${aside}-wal`)).toBe(true)
    expect(existsSync(`${killed}-wal`)).toBe(false)
    expect(foundIn(killed)).toEqual([])
    await using restored = await createPalimpsest({ store: sqlite(killed), folding: 'manual' })
    expect(await said(restored, BOBS_CHAT)).toHaveLength(8)
  })

  test('of a database that was removed under a process are no part of the new one', async () => {
    const writer = await house.open()
    await say(writer, BOBS_CHAT, 'in the log')
    rmSync(house.file)
    const { aside } = await house.restore()
    expect(aside).toBeNull()
    await writer.close()
    expect(await said(await house.open(), BOBS_CHAT)).toHaveLength(8)
  })

  test('of the place that a link leads to are replaced', async () => {
    const link = `${house.root}/link.db`
    symlinkSync(house.file, link)
    expect((await house.restore({ path: link })).path).toBe(house.file)
    expect(foundIn(house.file)).toEqual([])
  })

  test('are not touched by a look at what would be done', async () => {
    const before = readdirSync(house.root).sort()
    const stamps = () => before.map(name => statSync(`${house.root}/${name}`).mtimeMs)
    const first = stamps()
    expect(await house.restore({ dryRun: true })).toMatchObject({
      dryRun: true,
      erased: { person: 1 },
      generation: 2,
      aside: null,
    })
    expect(readdirSync(house.root).sort()).toEqual(before)
    expect(stamps()).toEqual(first)
  })
})

describe('a backup', () => {
  beforeEach(async () => {
    const palimpsest = await house.open()
    await fill(palimpsest, { rounds: 3 })
    await house.backUp()
    await palimpsest.close()
  })

  const refused = (code: string) => expect(house.restore()).rejects.toMatchObject({ code })

  test.for<[string, string, () => void]>([
    ['that is cut off', 'store_corrupt', () => truncateSync(house.backup, 60_000)],
    ['that is no database', 'store_corrupt', () => writeFileSync(house.backup, 'x'.repeat(10_000))],
    ['that is empty', 'store_version', () => truncateSync(house.backup, 0)],
    ['that is not there', 'file_not_found', () => rmSync(house.backup)],
    [
      'of another program',
      'store_version',
      () => {
        const database = new DatabaseSync(house.backup)
        database.exec('PRAGMA application_id = 7')
        database.close()
      },
    ],
    [
      'of a later version',
      'store_version',
      () => {
        const database = new DatabaseSync(house.backup)
        database.exec('PRAGMA user_version = 999')
        database.close()
      },
    ],
    [
      'with a broken page',
      'store_corrupt',
      () => {
        const bytes = readFileSync(house.backup)
        bytes.fill(0xff, 4_096 * 20, 4_096 * 24)
        writeFileSync(house.backup, bytes)
      },
    ],
  ])('%s is refused, and nothing has changed', async ([, code, damage]) => {
    damage()
    const before = readdirSync(house.root).sort()
    await refused(code)
    expect(readdirSync(house.root).sort()).toEqual(before)
  })

  test('that has a log beside it is restored with what is in the log', async () => {
    const palimpsest = await house.open()
    await say(palimpsest, 'one', 'in the log')
    for (const end of ['', '-wal']) copyFileSync(`${house.file}${end}`, `${house.backup}${end}`)
    await palimpsest.close()
    await house.restore()
    expect(await said(await house.open(), 'one')).toEqual(['in the log'])
  })

  test('may be one by VACUUM INTO', async () => {
    rmSync(house.backup)
    const database = new DatabaseSync(house.file)
    database.prepare('VACUUM INTO ?').run(house.backup)
    database.close()
    const opened = sqlite(house.backup)
    await opened.open()
    await opened.close()
    await house.restore()
    expect(await said(await house.open(), BOBS_CHAT)).toHaveLength(6)
  })

  test('is told by its events to begin anew, once', async () => {
    const store = sqlite(house.file)
    await store.open()
    const position = await store.events.readLastPosition()
    await store.close()
    await house.restore()
    const next = sqlite(house.file)
    await next.open()
    await expect(next.events.readEvents({ after: position, limit: 1 })).rejects.toMatchObject({
      code: 'position_lost',
    })
    await next.events.readEvents({ after: await next.events.readLastPosition(), limit: 1 })
    await next.close()
  })

  test('is not the database itself', async () => {
    await expect(house.restore({ backup: house.file })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(house.restore({ path: ':memory:' })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(house.restore({ path: `${house.root}/none/new.db` })).rejects.toMatchObject({
      code: 'file_not_found',
    })
  })
})
