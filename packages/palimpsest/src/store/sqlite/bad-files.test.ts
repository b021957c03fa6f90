import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PalimpsestError } from '../../errors.ts'
import { Chat, checkFigures, message, segment } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { CHECKED_TOKENS } from '../sql/checked-tails.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { SqliteDriver } from './driver.ts'
import { type SqliteOptions, sqlite } from './index.ts'
import { ENDLESS } from './long-work.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog. 敏捷的棕色狐狸。'
const PAGE = 4096

let folder: string
let file: string
let stores: Store[]
let connections: DatabaseSync[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-bad-'))
  file = join(folder, 'test.db')
  stores = []
  connections = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const connection of connections) if (connection.isOpen) connection.close()
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function create(options: Parameters<typeof sqlite>[1] = {}, path = file): Store {
  const store = sqlite(path, { durability: 'normal', ...options })
  stores.push(store)
  return store
}

async function open(options: Parameters<typeof sqlite>[1] = {}, path = file): Promise<Store> {
  const store = create(options, path)
  await store.open()
  return store
}

async function openWithoutThread(options: SqliteOptions): Promise<Store> {
  const driver = new SqliteDriver(file, { durability: 'normal', ...options }, () => {}, { stretch: ENDLESS })
  const store = new SqlStore(driver, () => {})
  stores.push(store)
  await store.open()
  return store
}

function connect(): DatabaseSync {
  const connection = new DatabaseSync(file)
  connections.push(connection)
  return connection
}

/** Forty messages of different lengths, one of which fills several pages, two segments, and a memo. */
async function fill(): Promise<readonly string[]> {
  const store = await open()
  const chat = new Chat(store)
  const texts = Array.from(
    { length: 40 },
    (_, index) => `${index}. ${TEXT.repeat(index === 20 ? 300 : 1 + (index % 7))}`,
  )
  for (const [index, text] of texts.entries())
    await chat.append(message(text, { sender: { id: 'ann' }, externalId: `m${index}` }))
  await chat.fold(10, { memo: { topic: 'foxes' } })
  await chat.fold(20)
  await store.close()
  return texts
}

const digest = () => createHash('sha256').update(readFileSync(file)).digest('hex')

describe('a database that another process keeps locked', () => {
  test('is busy: a write fails after the time-out, reads go on, and nothing was stored', async () => {
    const store = await open({ busyTimeoutMs: 30 })
    const chat = new Chat(store)
    await chat.say(3)
    const other = connect()
    other.exec('BEGIN IMMEDIATE')
    await refuses(chat.say(1), 'store_busy')
    await refuses(chat.edit(1, 'x'), 'store_busy')
    expect(await chat.seqs()).toEqual([1, 2, 3])
    other.exec('ROLLBACK')
    expect(await chat.say(1)).toEqual([4])
    await checkFigures(chat)
  })

  test('cannot be opened while it is locked exclusively, and can be afterwards', async () => {
    await fill()
    const other = connect()
    other.exec('PRAGMA journal_mode = DELETE')
    other.exec('BEGIN EXCLUSIVE')
    const store = create({ busyTimeoutMs: 30 })
    await refuses(store.open(), 'store_busy')
    other.exec('ROLLBACK')
    await store.open()
    expect((await new Chat(store).record()).head?.totals.messages).toBeGreaterThan(0)
  })

  test('is waited for, and the event loop goes on meanwhile', async () => {
    const store = await open({ busyTimeoutMs: 10_000 })
    const chat = new Chat(store)
    await chat.say(1)
    const other = connect()
    other.exec('BEGIN IMMEDIATE')
    const waiting = chat.say(1)
    await new Promise(resolve => setTimeout(resolve, 1))
    other.exec('ROLLBACK')
    expect(await waiting).toEqual([2])
  })

  test('is written to in the order of the calls, also of those that come while some wait', async () => {
    // A busy machine may make a short write a long one, which is done in a thread, after those that wait.
    const store = await openWithoutThread({ busyTimeoutMs: 10_000 })
    const chat = new Chat(store)
    await chat.say(1)
    const other = connect()
    other.exec('BEGIN IMMEDIATE')
    const texts = Array.from({ length: 40 }, (_, place) => `number ${place}`)
    const edits: Promise<unknown>[] = []
    for (const [place, text] of texts.entries()) {
      edits.push(chat.edit(1, text))
      await new Promise(resolve => setTimeout(resolve, 1))
      if (place === 20) other.exec('ROLLBACK')
    }
    await Promise.all(edits)
    const versions = await store.log.readVersions(chat.key, 1)
    expect(versions.map(({ content }) => content).slice(1)).toEqual(texts)
  })

  test('is busy for all that wait: they fail at their own time, not one after the other', async () => {
    const store = await open({ busyTimeoutMs: 200 })
    const chat = new Chat(store)
    connect().exec('BEGIN IMMEDIATE')
    const begun = performance.now()
    await Promise.all(Array.from({ length: 40 }, () => refuses(chat.say(1), 'store_busy')))
    expect(performance.now() - begun).toBeLessThan(40 * 200)
  })
})

describe('a database for reading only', () => {
  test('can be read, and refuses every write', async () => {
    const texts = await fill()
    const before = digest()
    const store = await open({ readOnly: true })
    const chat = new Chat(store)
    expect((await chat.messages()).map(({ content }) => content)).toEqual(texts)
    await refuses(chat.say(1), 'store_read_only')
    await refuses(chat.rollback(1), 'store_read_only')
    await refuses(chat.fork('copy', 3), 'store_read_only')
    await store.close()
    expect(digest()).toBe(before)
  })

  test('has to be there and up to date', async () => {
    await refuses(create({ readOnly: true }).open(), 'store_unavailable')
    writeFileSync(file, '')
    await refuses(create({ readOnly: true }).open(), 'store_version')
    expect(readFileSync(file)).toHaveLength(0)
  })
})

test('a full disk: what was acknowledged is there, what was not is not, and it goes on once there is room', async () => {
  // The store's own connection gets the limit: the error is SQLite's, and so is the undoing.
  let connection: DatabaseSync | undefined
  const exec = DatabaseSync.prototype.exec
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    connection = this
    return exec.call(this, sql)
  })
  const chat = new Chat(await open())
  await chat.say(1)
  const limit = (pages: number) => exec.call(connection!, `PRAGMA max_page_count = ${pages}`)
  const { page_count: taken } = connection!.prepare('PRAGMA page_count').get() as { page_count: number }
  limit(taken + 20)
  let stored = 1
  const fillUp = async () => {
    for (;;) {
      await chat.append(message(TEXT.repeat(20)), message(TEXT.repeat(20)))
      stored += 2
    }
  }
  await refuses(fillUp(), 'store_full')
  expect(stored).toBeGreaterThan(3)
  await refuses(chat.append(message(TEXT.repeat(2000))), 'store_full')
  expect((await chat.messages()).length).toBe(stored)
  await checkFigures(chat)
  limit(100_000)
  expect((await chat.append(message(TEXT.repeat(2000)))).messages[0]?.seq).toBe(stored + 1)
  await checkFigures(chat)
})

describe('a torn file', () => {
  /** Opens and reads all there is: what was stored, or a typed error; the file stays as it is. */
  async function probe(texts: readonly string[] | null): Promise<void> {
    const before = digest()
    const store = create()
    try {
      await store.open()
      const chat = new Chat(store)
      const messages = await chat.messages()
      await store.context.readContext(chat.key, { tokens: 10_000, archivedTokens: 10_000 })
      await store.folds.readPlan(chat.key)
      await store.transfer.exportSession(chat.key)
      await store.sessions.listSessions('test', { limit: 10 })
      await store.events.readEvents({ after: null, limit: 1000 })
      if (texts) expect(messages.map(({ content }) => content)).toEqual(texts)
    } catch (error) {
      if (!PalimpsestError.isInstance(error)) throw error
      expect(['store_corrupt', 'store_version', 'store_failed', 'session_not_found']).toContain(error.code)
    }
    await store.close()
    expect(digest()).toBe(before)
  }

  // To SQLite a file of one byte is an empty one: the smallest that it can tell apart has two.
  test('that ends too early gives what was stored or says that it is damaged', async () => {
    const texts = await fill()
    const whole = readFileSync(file)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: whole.length - 1 }), async length => {
        writeFileSync(file, whole.subarray(0, length))
        await probe(texts)
      }),
      {
        numRuns: 100,
        examples: [[15], [16], [99], [100], [511], [512], [PAGE - 1], [PAGE], [PAGE + 1], [2 * PAGE]],
      },
    )
  })

  test('in which pages were lost gives what was stored or says that it is damaged', async () => {
    const texts = await fill()
    const whole = readFileSync(file)
    for (let page = 0; page * PAGE < whole.length; page++) {
      const torn = Buffer.from(whole)
      torn.fill(0, page * PAGE, (page + 1) * PAGE)
      writeFileSync(file, torn)
      await probe(texts)
    }
  })

  test('with NULs anywhere never throws what has no type, and is not changed', async () => {
    await fill()
    const whole = readFileSync(file)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 6000 }), async (start, length) => {
        // Bytes 18 and 19 alone say that there is no write-ahead log: opening puts that right, and loses nothing.
        fc.pre(start >= 20 || start + length > 21)
        const torn = Buffer.from(whole)
        torn.fill(0, start, Math.min(start + length, whole.length))
        writeFileSync(file, torn)
        await probe(null)
      }),
      { numRuns: 150 },
    )
  })

  test('with a torn write-ahead log gives every message up to the tear', async () => {
    const store = await open()
    const chat = new Chat(store)
    await chat.say(30)
    for (let index = 0; index < 30; index++) await chat.append(message(`${index} ${TEXT}`))
    const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
    await store.close()
    await fc.assert(
      fc.asyncProperty(fc.nat(log.length), async length => {
        rmSync(`${file}-shm`, { force: true })
        writeFileSync(file, database)
        writeFileSync(`${file}-wal`, log.subarray(0, length))
        const again = create()
        await again.open()
        const recovered = new Chat(again)
        const seqs = await recovered.seqs()
        expect(seqs).toEqual(seqs.map((_, index) => index + 1))
        expect((await recovered.say(1))[0]).toBe(seqs.length + 1)
        await checkFigures(recovered)
        await again.close()
      }),
      { numRuns: 30 },
    )
  })
})

describe('a damaged file', () => {
  const NAMES = Array.from({ length: 12 }, (_, index) => `chat ${index}`)

  /** Sessions whose messages lie in pages of their own, some of them in many. */
  async function fillMany(): Promise<void> {
    const store = await open()
    for (let round = 0; round < 6; round++)
      for (const [index, name] of NAMES.entries())
        await new Chat(store, name).append(
          message(`${name} ${round} ${TEXT.repeat(1 + index * 5)}`, { sender: { id: 'ann' } }),
        )
    for (const name of NAMES.slice(0, 6)) await new Chat(store, name).fold(3)
    await store.close()
  }

  const tail = { tokens: CHECKED_TOKENS, archivedTokens: 0 }
  const codeOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => null,
      error => (PalimpsestError.isInstance(error) ? error.code : String(error)),
    )

  test('takes no append behind what cannot be read, and what it takes can be read back', async () => {
    await fillMany()
    const whole = readFileSync(file)
    const pages = whole.length / PAGE
    let [refused, taken] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ page: fc.integer({ min: 1, max: pages - 1 }), at: fc.nat(PAGE - 1) }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.integer({ min: 1, max: PAGE }),
        fc.nat(255),
        async (places, length, byte) => {
          const torn = Buffer.from(whole)
          for (const { page, at } of places)
            torn.fill(byte, page * PAGE + at, page * PAGE + Math.min(PAGE, at + length))
          for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
          writeFileSync(file, torn)
          const asItIs = create({ readOnly: true })
          const opens = await codeOf(asItIs.open())
          if (opens !== null) {
            expect(opens).toMatch(/^store_/)
            return
          }
          const unreadable = new Map<string, string | null>()
          await asItIs.close()
          for (const name of NAMES) {
            const fresh = create({ readOnly: true })
            unreadable.set(
              name,
              (await codeOf(fresh.open())) ??
                (await codeOf(fresh.context.readContext(new Chat(fresh, name).key, tail))),
            )
            await fresh.close()
          }
          for (const name of NAMES) {
            const store = create()
            const code = (await codeOf(store.open())) ?? (await codeOf(new Chat(store, name).say(1)))
            if (code === null) {
              const read = await store.context.readContext(new Chat(store, name).key, tail)
              expect(read!.messages.at(-1)!.seq).toBeGreaterThan(0)
              expect(unreadable.get(name)).toBeNull()
              taken++
            } else {
              expect(code).toMatch(/^store_/)
              refused++
            }
            await store.close()
            writeFileSync(file, torn)
          }
        },
      ),
      { numRuns: 25 },
    )
    expect(refused).toBeGreaterThan(5)
    expect(taken).toBeGreaterThan(50)
  })

  test.for([
    ['an earlier page of it', 'number 25'],
    ['a part of a long message', 'the middle of it'],
  ] as const)('takes no append to a session where %s is lost', async ([, lost]) => {
    const first = await open()
    const chat = new Chat(first, 'long')
    // Several times, since a text may be cut into parts: one is whole.
    const middle = `${TEXT.repeat(100)}${'the middle of it '.repeat(3)}${TEXT.repeat(100)}`
    for (let index = 0; index < 40; index++)
      await chat.append(message(index === 30 ? middle : `number ${index} ${TEXT.repeat(10)}`))
    // What was appended last is elsewhere, and whole.
    await new Chat(first, 'other').say(40)
    await first.close()
    const torn = readFileSync(file)
    const page = Math.floor(torn.indexOf(lost) / PAGE)
    torn.fill(0, page * PAGE, (page + 1) * PAGE)
    writeFileSync(file, torn)
    const asItIs = await open({ readOnly: true })
    await refuses(asItIs.context.readContext(new Chat(asItIs, 'long').key, tail), 'store_corrupt')
    await asItIs.close()
    await refuses(new Chat(await open(), 'long').say(1), 'store_corrupt')
    await new Chat(await open(), 'other').say(1)
  })

  test('is not written to any more once damage was found, until it is opened anew', async () => {
    await fillMany()
    const connection = connect()
    const { rootpage } = connection
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'segments'")
      .get() as { rootpage: number }
    connection.close()
    const torn = readFileSync(file)
    torn.fill(7, (rootpage - 1) * PAGE, rootpage * PAGE)
    writeFileSync(file, torn)
    const store = await open()
    // It has no segments.
    const chat = new Chat(store, 'chat 11')
    await chat.say(1)
    await refuses(store.folds.readSegments(new Chat(store, 'chat 0').key, 'all'), 'store_corrupt')
    const error = await chat.say(1).catch(error => error)
    expect(error).toMatchObject({ code: 'store_corrupt' })
    expect(error.message).toMatch(/damage was found.*palimpsest restore/)
    expect((await chat.seqs()).length).toBe(7)
    await store.close()
    await new Chat(await open(), 'chat 11').say(1)
  })

  test('is not opened for writing where what was appended last cannot be read', async () => {
    await fillMany()
    const store = await open()
    await new Chat(store, 'last').append(message(`unmistakable ${TEXT.repeat(500)}`))
    await store.close()
    const torn = readFileSync(file)
    const page = Math.floor(torn.indexOf('unmistakable') / PAGE)
    torn.fill(0, page * PAGE, (page + 1) * PAGE)
    writeFileSync(file, torn)
    await refuses(create().open(), 'store_corrupt')
    // What else is there can still be read.
    const asItIs = await open({ readOnly: true })
    expect(await new Chat(asItIs, 'chat 0').seqs()).toHaveLength(6)
  })
})

describe('what is not a database of ours', () => {
  async function refusesUnchanged(code: 'store_version' | 'store_corrupt'): Promise<void> {
    const before = digest()
    await refuses(create().open(), code)
    expect(digest()).toBe(before)
  }

  test('of a newer version is left alone', async () => {
    await fill()
    connect().exec('PRAGMA user_version = 999')
    for (const connection of connections) connection.close()
    await refusesUnchanged('store_version')
  })

  test('of another program is left alone', async () => {
    connect().exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)')
    for (const connection of connections) connection.close()
    await refusesUnchanged('store_version')
  })

  test('of another program that uses our version number is left alone', async () => {
    connect().exec('PRAGMA user_version = 1; PRAGMA application_id = 7')
    for (const connection of connections) connection.close()
    await refusesUnchanged('store_version')
  })

  test('at all is left alone', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(500))
    await refusesUnchanged('store_corrupt')
    writeFileSync(file, Buffer.alloc(10_000))
    await refusesUnchanged('store_corrupt')
  })

  test('but a folder, or in a folder that is not there, cannot be opened', async () => {
    mkdirSync(join(folder, 'folder'))
    await refuses(create({}, join(folder, 'folder')).open(), 'store_unavailable')
    await refuses(create({}, join(folder, 'missing', 'test.db')).open(), 'store_unavailable')
  })

  test('can be opened again once it is put right', async () => {
    const store = create({}, join(folder, 'later', 'test.db'))
    await refuses(store.open(), 'store_unavailable')
    mkdirSync(join(folder, 'later'))
    await store.open()
    expect(await new Chat(store).say(1)).toEqual([1])
  })
})

describe('a cursor that makes no sense', () => {
  test.for([10 ** 9, -5, 15, 25])('%i is taken as none, with a warning', async cursor => {
    await fill()
    const other = connect()
    other.exec(`UPDATE sessions SET compacted_through = ${cursor}`)
    other.close()
    const warn = vi.fn()
    const store = await open({ warn })
    const chat = new Chat(store)
    const record = await chat.record()
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('cursor'), {
      sessionId: 'chat',
      compactedThrough: cursor,
    })
    expect(record.state.compactedThrough).toBe(0)
    const messages = await chat.messages()
    expect(messages.every(({ archived }) => !archived)).toBe(true)
    const context = await store.context.readContext(chat.key, { tokens: 100_000, archivedTokens: 0 })
    expect(context?.base?.segments).toEqual([])
    expect(context?.messages.map(({ turn, tokens, ...message }) => message)).toEqual(messages)

    const [seq] = await chat.say(1)
    expect(seq).toBe(messages.length + 1)
    const receipt = await chat.fold(12)
    expect(receipt.repeated).toBe(false)
    await checkFigures(chat)
    expect(
      (await store.folds.readSegments(chat.key, 'shown')).map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
    ).toEqual([[1, 12]])
    warn.mockClear()
    await chat.fold(14)
    await chat.edit(1, 'edited')
    await chat.rollback(13)
    await checkFigures(chat)
    expect(warn).not.toHaveBeenCalled()
  })

  test.for(['edit', 'rollback', 'fork'] as const)('does not stand in the way of %s', async change => {
    await fill()
    connect().exec('UPDATE sessions SET compacted_through = 25')
    const chat = new Chat(await open({ warn: () => {} }))
    if (change === 'edit') await chat.edit(3, 'edited')
    if (change === 'rollback') await chat.rollback(15)
    const result = change === 'fork' ? await chat.fork('copy', 15) : chat
    if (change !== 'edit') await checkFigures(result)
    await result.say(3)
    await result.fold((await result.record()).state.compactedThrough + 3)
    await checkFigures(result)
  })
})

test('segments that a commit does not know of are put aside, not shown twice', async () => {
  await fill()
  connect().exec('UPDATE sessions SET compacted_through = -1')
  const store = await open({ warn: () => {} })
  const chat = new Chat(store)
  const commit = await chat.prepareFold(12)
  await chat.commit({ ...commit, segments: [{ ...segment(1, 12, 12), absorbs: [] }] })
  const all = await store.folds.readSegments(chat.key, 'all')
  expect(all.map(({ state }) => state).toSorted()).toEqual(['live', 'rolled-up', 'rolled-up'])
  await checkFigures(chat)
})
