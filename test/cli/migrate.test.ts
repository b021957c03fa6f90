import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { sqliteBeside } from '../stores.ts'
import { DATABASES, type Database, inPostgres } from './databases.ts'
import { insertAsFirstVersion, makeOld, migrations, type Name, newest } from './old-databases.ts'
import { run, runHere } from './run.ts'

const databases: Database[] = []
afterAll(async () => {
  for (const database of databases) await database.remove()
})

async function made(name: Name): Promise<Database> {
  const database = await DATABASES[name]()
  databases.push(database)
  return database
}

async function setVersion(name: Name, database: Database, version: number): Promise<void> {
  if (name === 'PostgreSQL')
    return inPostgres(database.address, `INSERT INTO palimpsest.migrations VALUES (${version}, now())`)
  const db = sqliteBeside(database.address)
  db.exec(`PRAGMA user_version = ${version}`)
  db.close()
}

function migrate(database: Database, ...flags: readonly string[]) {
  return runHere(['migrate', ...database.flags, '--json', ...flags])
}

describe.each(['SQLite', 'PostgreSQL'] as const)('palimpsest migrate on %s', name => {
  test('says from which version to which, and then that there is nothing to do', async () => {
    const database = await made(name)
    await makeOld(name, database, 3)
    const [from, to] = [3, newest(name)]
    const checked = await migrate(database, '--check')
    expect(checked).toMatchObject({ code: 3, stderr: expect.stringContaining('palimpsest migrate') })
    expect(JSON.parse(checked.stdout)).toMatchObject({ from, to, changed: false, pending: true })
    const done = await migrate(database)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(done.stdout)).toMatchObject({ from, to, changed: true, pending: false })
    for (const again of [await migrate(database), await migrate(database, '--check')]) {
      expect(again).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(again.stdout)).toMatchObject({ from: to, to, changed: false, pending: false })
      expect(again.stdout).not.toContain('test@')
    }
    expect((await runHere(['migrate', ...database.flags])).stdout).toMatch(/: schema \d+, up to date\n$/)
  })

  test('by many processes at once is done once', async () => {
    const database = await made(name)
    await makeOld(name, database, 1)
    const ran = await Promise.all(
      Array.from({ length: 5 }, () => run(['migrate', ...database.flags, '--json'])),
    )
    for (const { code, stderr } of ran) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await database.use(speak)
  })

  test('leaves what is running as it is: what an old program writes goes on', async () => {
    const database = await made(name)
    await makeOld(name, database, 1)
    await insertAsFirstVersion(name, database, 'before')
    expect((await migrate(database)).code).toBe(0)
    await insertAsFirstVersion(name, database, 'after')
    await database.use(async store => {
      for (const id of ['before', 'after'])
        expect(await store.sessions.readSession({ namespace: 'default', id })).toMatchObject({
          id,
          segments: 0,
        })
    })
  })

  test('a program that meets a newer schema refuses it, and changes nothing', async () => {
    const database = await made(name)
    await database.use(speak)
    await setVersion(name, database, 999)
    for (const command of [
      ['migrate'],
      ['migrate', '--check'],
      ['export', 's'],
      ['keys', 'list'],
      ['search', 'hello'],
    ]) {
      const ran = await runHere([...command, ...database.flags])
      expect(ran).toMatchObject({
        code: 78,
        stdout: '',
        stderr: expect.stringMatching(
          /a newer version of Palimpsest wrote this database \(schema 999; this program knows \d+\)\. Nothing was changed; update Palimpsest\./,
        ),
      })
    }
    const copied = await runHere(['copy', '--from', database.address, '--to', 'sqlite:/tmp/never.db'])
    expect(copied.code).toBe(78)
  })
})

async function speak(store: Store): Promise<void> {
  const palimpsest = await createPalimpsest({ store, folding: 'manual' })
  await palimpsest.session('s').append({ role: 'user', content: 'hello' })
  await palimpsest.close()
}

test('on PostgreSQL it gives way to whoever holds a table, instead of letting everybody wait behind it', async () => {
  const database = await made('PostgreSQL')
  await makeOld('PostgreSQL', database, 1)
  const reader = new pg.Client(database.address)
  await reader.connect()
  await reader.query('BEGIN; SELECT count(*) FROM palimpsest.sessions')
  const migrated = migrate(database)
  await expect.poll(async () => (await waiters(database)) > 0, { interval: 20 }).toBe(true)
  // Writers get through in between, though a reader holds the table for longer than anybody waits.
  const started = performance.now()
  await insertAsFirstVersion('PostgreSQL', database, 'meanwhile')
  expect(performance.now() - started).toBeLessThan(20_000)
  await reader.query('COMMIT')
  await reader.end()
  expect((await migrated).code).toBe(0)
})

async function waiters(database: Database): Promise<number> {
  const client = new pg.Client(database.address)
  await client.connect()
  const { rows } = await client.query(
    `SELECT count(*) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ALTER TABLE%'`,
  )
  await client.end()
  return Number(rows[0].count)
}

test.each(['SQLite', 'PostgreSQL'] as const)('migrations of %s only add', name => {
  for (const { version, sql } of migrations(name)) {
    const statements = sql
      .replaceAll(/--.*$/gm, '')
      .split(';')
      .map(statement => statement.trim().replaceAll(/\s+/g, ' '))
    for (const statement of statements) {
      const where = `migration ${version}: ${statement.slice(0, 80)}`
      expect(statement, where).not.toMatch(
        /\bDROP (TABLE|COLUMN)\b|\bRENAME\b|\bALTER COLUMN\b|\bTRUNCATE\b/i,
      )
      // What an old program inserts does not name it.
      if (/ADD COLUMN .*NOT NULL/i.test(statement)) expect(statement, where).toMatch(/DEFAULT/i)
    }
  }
})

test.each([
  [['--db', 'nowhere.db'], 66, 'There is no database'],
  [['--store', 'mysql://user:secret@host/x'], 64, '--store'],
  [['--store', 'postgres://user:secret@127.0.0.1:1/x'], 69, 'cannot be reached'],
])('%j is a clear error', async (flags, code, words) => {
  const ran = await runHere(['migrate', ...flags])
  expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining(words) })
  expect(ran.code).toBe(code)
  expect(ran.stderr).not.toContain('secret')
})

describe('palimpsest migrate and a role that only has rights on the tables', () => {
  test('makes the queue, too, so that such a role can use it', async () => {
    const database = await made('PostgreSQL')
    const role = `${new URL(database.address).pathname.slice(1)}_bot`
    const url = Object.assign(new URL(database.address), { username: role, password: 'bot' }).href
    const opened = async () => {
      const store = postgres(url, { queue: true })
      await store.open()
      await speak(store)
      await store.close()
    }
    await inPostgres(database.address, `CREATE ROLE ${role} LOGIN PASSWORD 'bot'`)
    try {
      expect((await migrate(database)).code).toBe(0)
      const grant = (schema: string) => [
        `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
      ]
      await inPostgres(database.address, ...grant('palimpsest'))
      await expect(opened()).rejects.toMatchObject({
        code: 'store_read_only',
        message: expect.stringMatching(/the queue in palimpsest_jobs.*"palimpsest migrate".*GRANT USAGE/),
      })
      // Before it takes an hour, and not after it.
      await inPostgres(database.address, 'UPDATE palimpsest.layout SET is_compact = 0')
      expect(await runHere(['migrate', '--store', url, '--compact'])).toMatchObject({
        code: 77,
        stdout: '',
        stderr: expect.not.stringContaining('Making the database compact'),
      })
      await inPostgres(database.address, ...grant('palimpsest_jobs'))
      expect(await runHere(['migrate', '--store', url, '--compact'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('It is compact: '),
      })
      await opened()
    } finally {
      await inPostgres(database.address, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`)
    }
  })
})
