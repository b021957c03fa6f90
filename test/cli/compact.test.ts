import { statSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { compactPostgres } from '../../packages/palimpsest/src/store/postgres/compact.ts'
import { compactSqlite } from '../../packages/palimpsest/src/store/sqlite/compact.ts'
import { Chat, message } from '../../packages/palimpsest/src/testing/store-contract/chat.ts'
import { EACH, expectedOf } from '../fixtures/places.ts'
import { tellAll } from '../fixtures/tell.ts'
import { sqliteBeside } from '../stores.ts'
import { DATABASES, type Database, inPostgres, sqliteDatabase } from './databases.ts'
import { run, runHere } from './run.ts'

const databases: Database[] = []
afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove()
})

const WORDS = 'tea and cake, яйцо, 漢字. '
const SIZES = [10, 800, 950, 1_500, 4_000, 12_000, 40_000, 70_000]

/** As a version made it that had no such layout: every text is in its row, but for the longest. */
async function madeBefore(database: Database = sqliteDatabase(), rounds = 3): Promise<Database> {
  databases.push(database)
  await database.use(async () => {})
  inside(database, 'UPDATE layout SET is_compact = 0')
  await database.use(async store => {
    const chat = new Chat(store)
    for (let round = 0; round < rounds; round++)
      await chat.append(
        ...SIZES.map(size => message(WORDS.repeat(Math.ceil(size / WORDS.length)).slice(0, size))),
      )
    await chat.edit(3, 'x'.repeat(2_000))
    await chat.edit(3, 'short')
    await chat.fork('fork', 6)
  })
  return database
}

function inside<Row>({ address }: Database, sql: string): Row[] {
  const db = sqliteBeside(address)
  const rows = db.prepare(sql).all() as Row[]
  db.close()
  return rows
}

const inRows = (database: Database) =>
  inside<{ count: number }>(
    database,
    `SELECT (SELECT count(*) FROM messages WHERE octet_length(content) > 900)
       + (SELECT count(*) FROM message_versions WHERE octet_length(content) > 900) AS count`,
  )[0]!.count

const told = (database: Database) =>
  database.use(async (store: Store) => ({
    chat: await store.transfer.exportSession(new Chat(store).key),
    fork: await store.transfer.exportSession(new Chat(store, 'fork').key),
  }))

const fileOf = ({ address }: Database) => address.slice('sqlite:'.length)

describe('palimpsest migrate --compact', () => {
  test('makes a file smaller, says so, and changes nothing that is read of it', async () => {
    const database = await madeBefore()
    const before = await told(database)
    expect(inRows(database)).toBeGreaterThan(10)
    expect(await runHere(['migrate', ...database.flags, '--check'])).toMatchObject({ code: 0 })
    const checked = await runHere(['migrate', ...database.flags, '--compact', '--check', '--json'])
    expect(checked).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('palimpsest migrate --compact'),
    })
    expect(JSON.parse(checked.stdout)).toMatchObject({ pending: true, isCompact: false })
    expect(inRows(database)).toBeGreaterThan(10)
    const { size } = statSync(fileOf(database))
    const done = await runHere(['migrate', ...database.flags, '--compact', '--json'])
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('earlier version') })
    const result = JSON.parse(done.stdout) as { bytesBefore: number; bytesAfter: number }
    expect(result).toMatchObject({ changed: false, pending: false, isCompact: true, bytesBefore: size })
    expect(result.bytesAfter).toBe(statSync(fileOf(database)).size)
    expect(result.bytesAfter).toBeLessThan(result.bytesBefore)
    expect(inRows(database)).toBe(0)
    expect(await told(database)).toEqual(before)
    expect(await runHere(['migrate', ...database.flags, '--compact', '--check'])).toMatchObject({ code: 0 })
  })

  test('does nothing twice', async () => {
    const database = await madeBefore()
    const marks = () =>
      inside(database, 'SELECT session_id, seq, content FROM messages WHERE format > 3 ORDER BY 1, 2')
    await compactSqlite(fileOf(database))
    const first = marks()
    expect(first.length).toBeGreaterThan(10)
    const again = await runHere(['migrate', ...database.flags, '--compact'])
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/It is compact: .* MB before, .* MB now/),
    })
    expect(marks()).toEqual(first)
  })

  test('may be broken off between any two steps, and goes on when it is run again', async () => {
    const database = await madeBefore(undefined, 8)
    const before = await told(database)
    const whole = inRows(database)
    const left: number[] = []
    for (let slices = 1; ; slices++) {
      const stopping = new AbortController()
      let seen = 0
      const onProgress = () => {
        seen += 1
        if (seen === slices) stopping.abort(new Error('broken off'))
      }
      const outcome = await compactSqlite(fileOf(database), { signal: stopping.signal, onProgress }).then(
        () => 'done',
        error => (error as Error).message,
      )
      left.push(inRows(database))
      expect(await told(database)).toEqual(before)
      const check = await runHere(['migrate', ...database.flags, '--compact', '--check'])
      if (outcome === 'done') {
        expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('It is compact.') })
        break
      }
      expect(outcome).toBe('broken off')
      expect(check).toMatchObject({ code: 3, stdout: expect.stringContaining('It is not compact.') })
    }
    expect(left[0]).toBeLessThan(whole)
    expect(left).toEqual(left.toSorted((one, other) => other - one))
    expect(left.at(-1)).toBe(0)
    expect(left.length).toBeGreaterThan(2)
  })

  test('ends with 130 after Ctrl-C, and all can be read', async () => {
    const database = await madeBefore(undefined, 40)
    const before = await told(database)
    const ran = await run(['migrate', ...database.flags, '--compact'], {
      onStderr: (child, stderr) => {
        if (!stderr.includes('Interrupted')) child.kill('SIGINT')
      },
    })
    expect(ran).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('Run it again to go on'),
    })
    expect(await told(database)).toEqual(before)
    expect(await run(['migrate', ...database.flags, '--compact'])).toMatchObject({ code: 0 })
    expect(inRows(database)).toBe(0)
    expect(await told(database)).toEqual(before)
  })

  test('goes on beside a program of this version that appends, whose texts are compact from then on', async () => {
    const database = await madeBefore(undefined, 8)
    await database.use(async store => {
      const chat = new Chat(store, 'beside')
      let isDone = false
      const compacting = compactSqlite(fileOf(database)).finally(() => {
        isDone = true
      })
      let appended = 0
      while (!isDone) await chat.append(message(`${appended++} ${'x'.repeat(1_500)}`))
      await compacting
      const messages = await store.log.readMessages(chat.key, { limit: 100_000, from: 'oldest' })
      expect(messages.map(({ content }) => Number((content as string).split(' ')[0]))).toEqual(
        Array.from({ length: appended }, (_, place) => place),
      )
      await chat.append(message('y'.repeat(1_500)))
    })
    expect(
      inside(
        database,
        `SELECT count(*) AS count FROM messages WHERE octet_length(content) > 900 AND content LIKE 'y%'`,
      ),
    ).toEqual([{ count: 0 }])
  })

  test('works on PostgreSQL, which keeps texts apart by itself', async () => {
    const database = await DATABASES.PostgreSQL()
    databases.push(database)
    await database.use(store => new Chat(store).append(message('x'.repeat(5_000))))
    await inPostgres(database.address, 'UPDATE palimpsest.layout SET is_compact = 0')
    expect(await runHere(['migrate', ...database.flags, '--compact', '--check'])).toMatchObject({ code: 3 })
    const stopped = compactPostgres(database.address, { signal: AbortSignal.abort(new Error('broken off')) })
    await expect(stopped).rejects.toThrow('broken off')
    expect(await runHere(['migrate', ...database.flags, '--compact', '--check'])).toMatchObject({ code: 3 })
    const done = await runHere(['migrate', ...database.flags, '--compact', '--json'])
    expect(done.code).toBe(0)
    expect(JSON.parse(done.stdout)).toMatchObject({ isCompact: true, bytesBefore: expect.any(Number) })
    expect(await runHere(['migrate', ...database.flags, '--compact', '--check'])).toMatchObject({ code: 0 })
  })

  test.each(EACH)(
    'leaves all that schema $version of $database held as it was',
    async ({ version, load }) => {
      await using place = await load()
      const flag = place.address.startsWith('sqlite:')
        ? ['--db', place.address.slice(7)]
        : ['--store', place.address]
      expect(await runHere(['migrate', ...flag, '--compact'])).toMatchObject({ code: 0 })
      const store = await place.open()
      const told = await tellAll(store, createPalimpsest)
      await store.close()
      expect(JSON.parse(JSON.stringify(told))).toMatchObject(expectedOf(version) as object)
    },
  )
})
