import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPalimpsest, type Store } from '../../packages/palimpsest/src/index.ts'
import { readSchemaVersions } from '../../packages/palimpsest/src/store/postgres/schema-versions.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { refuses } from '../../packages/palimpsest/src/testing/store-contract/contract-case.ts'
import { ANN, CANARIES, fill } from '../erasure/world.ts'
import { dropDatabase } from '../postgres/drop-database.ts'
import { postgresUrl } from '../postgres/url.ts'
import { inPostgres, postgresDatabase } from './databases.ts'
import { makeOld, newest } from './old-databases.ts'
import { type Folder, run, runHere, temporaryFolder } from './run.ts'

let folder: Folder

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(() => folder.remove())

const at = (name: string) => join(folder.path, name)
const isIn = (name: string) => CANARIES.filter(word => readFileSync(at(name)).includes(word))

async function fillStore(store: Store): Promise<void> {
  await using palimpsest = await createPalimpsest({ store, folding: 'manual' })
  await fill(palimpsest, { rounds: 3 })
}

async function backUp(): Promise<void> {
  const database = new DatabaseSync(at('live.db'), { readOnly: true })
  await backup(database, at('backup.db'))
  database.close()
}

describe('palimpsest restore', () => {
  const db = () => ['--db', at('live.db')]

  async function withErasure(): Promise<void> {
    await fillStore(sqlite(at('live.db')))
    await backUp()
    expect((await runHere(['forget', '--user', ANN, '--yes', ...db()])).code).toBe(0)
  }

  test('says what it would do, does it, and says what it did', async () => {
    await withErasure()
    const look = await run(['restore', at('backup.db'), ...db(), '--dry-run'])
    expect(look).toMatchObject({ code: 0, stderr: '' })
    expect(look.stdout).toContain('would take the place of')
    expect(look.stdout).toContain('to be erased again: 1 person.')
    expect(existsSync(at('live.db.erased'))).toBe(true)
    const restored = await run(['restore', at('backup.db'), ...db()])
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout).toMatch(
      /is in the place of .* as generation 2: consumers of events begin anew\.\n/,
    )
    expect(restored.stdout).toContain('erased again: 1 person.')
    expect(restored.stdout).toContain('delete it when all is well')
    expect(isIn('live.db')).toEqual([])
    expect(restored.stdout).not.toContain(ANN)
    const doctor = await runHere(['doctor', '--json', ...db()])
    expect(doctor.code).toBe(0)
  })

  test('tells it as JSON', async () => {
    await withErasure()
    const { code, stdout } = await runHere(['restore', at('backup.db'), ...db(), '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      path: at('live.db'),
      backup: at('backup.db'),
      dryRun: false,
      generation: 2,
      erased: { messages: 0, session: 0, person: 1, namespace: 0 },
      withoutTarget: 0,
      aside: expect.stringContaining('.before-restore-'),
      list: at('live.db.erased'),
    })
  })

  test('refuses with what to do, and exit codes', async () => {
    await withErasure()
    const none = await runHere(['restore', at('none.db'), ...db()])
    expect(none).toMatchObject({ code: 66, stdout: '' })
    expect(await runHere(['restore', ...db()])).toMatchObject({ code: 64 })
    const elsewhere = ['restore', at('backup.db'), '--db', at('new.db')]
    const missing = await runHere(elsewhere)
    expect(missing.code).toBe(66)
    expect(missing.stderr).toContain('--without-erased-list')
    expect(existsSync(at('new.db'))).toBe(false)
    expect((await runHere([...elsewhere, '--erased-list', at('live.db.erased')])).code).toBe(0)
    expect(isIn('new.db')).toEqual([])
    await using open = await createPalimpsest({ store: sqlite(at('live.db')), folding: 'manual' })
    const busy = await runHere(['restore', at('backup.db'), ...db()])
    expect(busy.code).toBe(75)
    expect(busy.stderr).toContain('Stop servers, bots')
    await open.close()
  })

  test('finds the list where the environment says, and leaves it there', async () => {
    const env = { PALIMPSEST_ERASED_LIST: at('safe') }
    await fillStore(sqlite(at('live.db')))
    await backUp()
    expect((await run(['forget', '--user', ANN, '--yes', ...db()], { env })).code).toBe(0)
    expect(existsSync(at('live.db.erased'))).toBe(false)
    renameSync(at('live.db'), at('lost.db'))
    const restored = await run(['restore', at('backup.db'), ...db()], { env })
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(isIn('live.db')).toEqual([])
    expect(readdirSync(folder.path).sort()).toEqual(['backup.db', 'live.db', 'lost.db', 'safe', 'safe-key'])
  })

  test('keeps the schema of the backup where it is asked to', async () => {
    await fillStore(sqlite(at('live.db')))
    await backUp()
    const newer = new DatabaseSync(at('backup.db'))
    const { user_version: schema } = newer.prepare('PRAGMA user_version').get() as { user_version: number }
    newer.close()
    const kept = await runHere(['restore', at('backup.db'), ...db(), '--keep-schema'])
    expect(kept).toMatchObject({ code: 0, stderr: '' })
    expect(kept.stdout).toContain(`Its schema is ${schema}: start the version that wrote it.`)
    expect(kept.stdout).toContain('as generation 2: consumers of events begin anew')
    expect((await runHere(['forget', '--user', ANN, '--yes', ...db()])).code).toBe(0)
    const refused = await runHere(['restore', at('backup.db'), ...db(), '--keep-schema'])
    expect(refused).toMatchObject({ code: 66, stderr: expect.stringContaining('1 person') })
    const all = ['restore', at('backup.db'), ...db(), '--keep-schema', '--without-erased-list']
    expect((await runHere(all)).stdout).toContain('there again: 1 person. Erase them again')
    const server = ['restore', '--store', 'postgres://nowhere/none', '--keep-schema']
    expect(await runHere(server)).toMatchObject({ code: 64 })
  })

  test('leaves all as it was at Ctrl-C', async () => {
    await withErasure()
    const before = readdirSync(folder.path)
    const hook = folder.file(
      'hook.mjs',
      "process.once('newListener', function on(name) { if (name === 'SIGINT') setImmediate(() => process.emit('SIGINT')); else process.once('newListener', on) })",
    )
    const ended = await run(['restore', at('backup.db'), ...db()], { hook })
    expect(ended.code).toBe(130)
    expect(ended.stderr).toContain('the database is as it was')
    expect(readdirSync(folder.path).filter(name => name !== 'hook.mjs')).toEqual(before)
  })
})

describe('palimpsest restore on PostgreSQL', () => {
  async function tablesWith(url: string): Promise<readonly string[]> {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'palimpsest'`,
    )
    const found: string[] = []
    for (const { name } of rows)
      for (const word of CANARIES) {
        const hits = await client.query(
          `SELECT 1 FROM palimpsest.${name} AS row WHERE CAST(row AS TEXT) LIKE $1 LIMIT 1`,
          [`%${word}%`],
        )
        if (hits.rows.length > 0) found.push(name)
      }
    await client.end()
    return found
  }

  test('erases again what was erased since the dump', async () => {
    const live = await postgresDatabase()
    const name = `db_${randomUUID().replaceAll('-', '').slice(0, 16)}`
    const copy = postgresUrl(name)
    const list = ['--erased-list', at('erased')]
    try {
      await live.use(fillStore)
      const before = await live.use(store => store.database.readIdentity())
      // As a dump and its restore into another database.
      await inPostgres(
        postgresUrl(),
        `CREATE DATABASE ${name} TEMPLATE ${new URL(live.address).pathname.slice(1)}`,
      )
      const forgotten = await runHere(['forget', '--user', ANN, '--yes', ...list, ...live.flags])
      expect(forgotten.code).toBe(0)
      expect(readFileSync(at('erased'), 'utf8')).not.toContain(ANN)
      expect(await tablesWith(copy)).not.toEqual([])
      const store = ['--store', copy]
      expect((await runHere(['restore', ...store])).code).toBe(64)
      expect((await runHere(['restore', at('backup.db'), ...store])).code).toBe(64)
      const look = await runHere(['restore', ...store, ...list, '--dry-run', '--json'])
      expect(JSON.parse(look.stdout)).toMatchObject({ dryRun: true, erased: { person: 1 } })
      const restored = await runHere(['restore', ...store, ...list, '--json'])
      expect(restored.code).toBe(0)
      expect(JSON.parse(restored.stdout)).toMatchObject({
        erased: { person: 1 },
        generation: before.generation + 1,
        waiting: 0,
      })
      expect(await tablesWith(copy)).toEqual([])
      const again = await runHere(['restore', ...store, ...list])
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('erased again: nothing.') })
    } finally {
      await live.remove()
      await dropDatabase(name)
    }
  })

  test('begins a generation also where the database stands where it stood', async () => {
    const live = await postgresDatabase()
    try {
      await live.use(fillStore)
      const position = await live.use(store => store.events.readLastPosition())
      // As a copy of the server's files that is put back: nothing in the database tells it.
      const look = await runHere(['restore', ...live.flags, '--without-erased-list', '--dry-run'])
      expect(look).toMatchObject({ code: 0, stdout: expect.stringContaining('would begin generation 2') })
      expect((await live.use(store => store.database.readIdentity())).generation).toBe(1)
      const restored = await runHere(['restore', ...live.flags, '--without-erased-list'])
      expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('begins generation 2') })
      await live.use(async store => {
        expect((await store.database.readIdentity()).generation).toBe(2)
        await refuses(store.events.readEvents({ after: position, limit: 10 }), 'position_lost')
        expect(await store.events.readEvents({ after: null, limit: 10 })).not.toEqual([])
      })
    } finally {
      await live.remove()
    }
  })

  test('changes nothing where it refuses', async () => {
    const live = await postgresDatabase()
    const [empty, old] = [await postgresDatabase(), await postgresDatabase()]
    const list = ['--erased-list', at('erased')]
    const versions = async (url: string) => {
      const { version } = await readSchemaVersions(url)
      return version
    }
    try {
      await live.use(fillStore)
      await runHere(['forget', '--user', ANN, '--yes', ...list, ...live.flags])
      const last = newest('PostgreSQL') - 1
      await makeOld('PostgreSQL', old, last)
      const none = await runHere(['restore', ...empty.flags, ...list])
      expect(none).toMatchObject({ code: 78, stderr: expect.stringContaining('Nothing was changed') })
      expect(await versions(empty.address)).toBe(0)
      const other = await runHere(['restore', ...old.flags, ...list])
      expect(other).toMatchObject({ code: 66, stderr: expect.stringContaining('of another database') })
      const missing = await runHere(['restore', ...old.flags, '--erased-list', at('missing')])
      expect(missing.code).toBe(66)
      expect(await versions(old.address)).toBe(last)
    } finally {
      for (const each of [live, empty, old]) await each.remove()
    }
  })

  test('says each time that bytes wait for an operator, and whose', async () => {
    const live = await postgresDatabase()
    const name = new URL(live.address).pathname.slice(1)
    const list = ['--erased-list', at('erased')]
    try {
      await live.use(fillStore)
      await inPostgres(postgresUrl(), `CREATE DATABASE ${name}_copy TEMPLATE ${name}`)
      expect((await runHere(['forget', '--user', ANN, '--yes', ...list, ...live.flags])).code).toBe(0)
      const copy = new URL(postgresUrl(`${name}_copy`))
      await inPostgres(
        copy.href,
        `CREATE ROLE ${name}_bot LOGIN PASSWORD 'bot'`,
        `GRANT USAGE ON SCHEMA palimpsest TO ${name}_bot`,
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA palimpsest TO ${name}_bot`,
      )
      Object.assign(copy, { username: `${name}_bot`, password: 'bot' })
      for (let round = 0; round < 2; round++) {
        const { code, stderr } = await runHere(['restore', '--store', copy.href, ...list])
        expect({ code, stderr }).toEqual({
          code: 77,
          stderr: expect.stringContaining('palimpsest forget --receipt 1 --namespace "default"'),
        })
      }
    } finally {
      await live.remove()
      await dropDatabase(`${name}_copy`)
      await inPostgres(postgresUrl(), `DROP ROLE IF EXISTS ${name}_bot`)
    }
  })
})
