import { createHash } from 'node:crypto'
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { refuses } from '../../packages/palimpsest/src/testing/store-contract/contract-case.ts'
import { DATABASES, type Database } from './databases.ts'
import { insertAsFirstVersion, makeOld, type Name, newest } from './old-databases.ts'
import { type Ran, run, runHere, temporaryFolder } from './run.ts'

const NAMES = ['SQLite', 'PostgreSQL'] as const

const databases: Database[] = []
afterAll(async () => {
  for (const database of databases) await database.remove()
})

async function made(name: Name): Promise<Database> {
  const database = await DATABASES[name]()
  databases.push(database)
  return database
}

const fileOf = ({ address }: Database) => address.slice('sqlite:'.length)

/** All that is there, byte for byte: files with their modes, or schemas, tables, columns and rows. */
async function allOf(database: Database): Promise<unknown> {
  return database.address.startsWith('sqlite:') ? filesIn(dirname(fileOf(database))) : tablesOf(database)
}

function filesIn(folder: string): unknown {
  return readdirSync(folder)
    .sort()
    .map(name => {
      const path = join(folder, name)
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
      return { name, mode: statSync(path).mode, hash }
    })
}

async function tablesOf({ address }: Database): Promise<unknown> {
  const client = new pg.Client(address)
  await client.connect()
  const { rows: schemas } = await client.query(
    "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY 1",
  )
  const { rows: columns } = await client.query(
    `SELECT table_schema, table_name, column_name, data_type, column_default FROM information_schema.columns
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2, 3`,
  )
  const tables = [...new Set(columns.map(each => `"${each.table_schema}"."${each.table_name}"`))]
  const contents: unknown[] = []
  for (const table of tables)
    contents.push((await client.query(`SELECT t::text FROM ${table} t ORDER BY 1`)).rows)
  await client.end()
  return { schemas, columns, contents }
}

/** Each with the exit code that it has where all is well. */
const COMMANDS: readonly (readonly [readonly string[], number])[] = [
  [['search', 'hello'], 0],
  [['export', 's'], 0],
  [['memory', 'list'], 0],
  [['memory', 'show', 'persona'], 0],
  [['memory', 'history', 'persona'], 0],
  [['keys', 'list'], 0],
  [['forget', '--session', 's', '--dry-run'], 0],
  [['forget', '--receipt', '1'], 66],
  [['doctor'], 0],
]

async function fill(store: Store): Promise<void> {
  const palimpsest = await createPalimpsest({ store, folding: 'manual' })
  await palimpsest.session('s').append({ role: 'user', content: 'hello there' })
  await palimpsest.memory.persona.replace('# Bo\n\nA bot.\n')
  await palimpsest.close()
}

describe.each(NAMES)('a database of schema 3 on %s', name => {
  const words = () =>
    new RegExp(
      `it has schema 3; this program needs schema ${newest(name)}\\. Nothing was changed\\. "palimpsest migrate"`,
    )

  async function old(): Promise<Database> {
    const database = await made(name)
    await makeOld(name, database, 3)
    await insertAsFirstVersion(name, database, 's')
    return database
  }

  test('is as it was after every command that reads, and they say what brings it up to date', async () => {
    const database = await old()
    const before = await allOf(database)
    for (const [command] of COMMANDS) {
      const ran = await runHere([...command, ...database.flags])
      const isDoctor = command[0] === 'doctor'
      expect.soft({ command, code: ran.code }).toEqual({ command, code: isDoctor ? 1 : 78 })
      expect.soft(isDoctor ? ran.stdout : ran.stderr, command.join(' ')).toMatch(words())
      expect.soft(await allOf(database), command.join(' ')).toEqual(before)
    }
    expect((await runHere(['migrate', '--check', ...database.flags])).code).toBe(3)
    expect(await allOf(database)).toEqual(before)
  })

  test('is as it was after a copy from it, and no copy is made', async () => {
    const database = await old()
    const target = temporaryFolder()
    const before = await allOf(database)
    for (const flags of [[], ['--verify']]) {
      const to = flags.length === 0 ? `sqlite:${join(target.path, 'new.db')}` : (await filled()).address
      const ran = await runHere(['copy', '--from', database.address, '--to', to, ...flags])
      expect(ran).toMatchObject({ code: 78, stderr: expect.stringMatching(words()) })
      expect(await allOf(database)).toEqual(before)
    }
    expect(readdirSync(target.path)).toEqual([])
    target.remove()
  })

  test('is brought up to date by what writes', async () => {
    const database = await old()
    const ran = await runHere(['forget', '--session', 's', '--yes', ...database.flags])
    expect(ran).toMatchObject({ code: 0 })
    expect((await runHere(['migrate', '--check', ...database.flags])).code).toBe(0)
  })

  test('is refused by a store that is told not to migrate, and stays as it was', async () => {
    const database = await old()
    const before = await allOf(database)
    const create = (options: { migrate?: boolean; readOnly?: boolean }) =>
      name === 'SQLite' ? sqlite(fileOf(database), options) : postgres(database.address, options)
    for (const options of [{ migrate: false }, { readOnly: true }]) {
      await refuses(create(options).open(), 'store_version')
      expect(await allOf(database)).toEqual(before)
    }
    expect((await runHere(['migrate', ...database.flags])).code).toBe(0)
    const store = create({ migrate: false })
    await fill(store)
    const reader = create({ readOnly: true })
    await reader.open()
    await refuses(reader.settings.writeSettings('default', {}), 'store_read_only')
    await reader.close()
  })

  async function filled(): Promise<Database> {
    const database = await made('SQLite')
    await database.use(fill)
    return database
  }
})

describe.each(NAMES)('commands that read, on %s', name => {
  test('do so, and leave all as it was', async () => {
    const database = await made(name)
    await database.use(fill)
    if (name === 'SQLite') chmodSync(fileOf(database), 0o644)
    const before = await allOf(database)
    for (const [command, code] of COMMANDS) {
      const ran = await runHere([...command, ...database.flags])
      expect
        .soft({ command, code: ran.code, stderr: code === 0 ? ran.stderr : '' })
        .toEqual({ command, code, stderr: '' })
      expect.soft(await allOf(database), command.join(' ')).toEqual(before)
    }
    expect((await runHere(['migrate', '--check', ...database.flags])).code).toBe(0)
    const copied = await runHere(['copy', '--from', database.address, '--to', (await made('SQLite')).address])
    expect(copied.code).toBe(0)
    expect(await allOf(database)).toEqual(before)
  })

  test('make no database where there is none', async () => {
    const database = await made(name)
    const before = await allOf(database)
    for (const [command] of COMMANDS) {
      const ran = await runHere([...command, ...database.flags])
      expect.soft(ran.code, command.join(' ')).not.toBe(0)
      expect.soft(await allOf(database), command.join(' ')).toEqual(before)
    }
  })
})

test('doctor makes no queue where one is switched on and not there yet, also to replay', async () => {
  const database = await made('PostgreSQL')
  await database.use(fill)
  const before = await allOf(database)
  for (const flags of [[], ['--replay']]) {
    const ran = await run(['doctor', ...database.flags, ...flags], { env: { PALIMPSEST_QUEUE: 'on' } })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('queue: 0 waiting') })
    expect(await allOf(database)).toEqual(before)
  }
})

describe('a SQLite database in a folder that cannot be written', () => {
  let database: Database
  let folder: string
  beforeEach(async () => {
    database = await made('SQLite')
    folder = dirname(fileOf(database))
  })
  afterEach(() => chmodSync(folder, 0o755))

  /** Nor can its files. */
  function close(): void {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444)
    chmodSync(folder, 0o555)
  }

  const reads = (...command: readonly string[]): Promise<Ran> =>
    run([...command, ...database.flags], { withoutRights: true })

  test('is read by every command that reads', async () => {
    await database.use(fill)
    close()
    const before = await allOf(database)
    const commands = [['search', 'hello'], ['export', 's'], ['memory', 'list'], ['keys', 'list'], ['doctor']]
    const ran = await Promise.all(commands.map(command => reads(...command)))
    for (const { code, stderr } of ran) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { stdout } of ran.slice(0, 2)) expect(stdout).toContain('hello there')
    expect(await allOf(database)).toEqual(before)
  })

  test('is read with what a program that runs has just written to its log', async () => {
    const store = sqlite(fileOf(database))
    await store.open()
    const palimpsest = await createPalimpsest({ store, folding: 'manual', indexing: 'off' })
    await palimpsest.session('s').append({ role: 'user', content: 'only in the log' })
    close()
    const ran = await reads('search', 'log')
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('only in the log') })
    await palimpsest.session('s').append({ role: 'user', content: 'and goes on' })
    chmodSync(folder, 0o755)
    await palimpsest.close()
  })

  test('with a log that lost its index is refused: what is in the log would be missing', async () => {
    const other = await made('SQLite')
    const store = sqlite(fileOf(other))
    await store.open()
    const palimpsest = await createPalimpsest({ store, folding: 'manual', indexing: 'off' })
    await palimpsest.session('s').append({ role: 'user', content: 'only in the log' })
    for (const end of ['', '-wal']) cpSync(`${fileOf(other)}${end}`, `${fileOf(database)}${end}`)
    await palimpsest.close()
    close()
    const before = await allOf(database)
    const refused = await reads('search', 'log')
    expect(refused).toMatchObject({
      code: 69,
      stderr: expect.stringMatching(
        /a log \(-wal or -journal\).*Copy the file together with its log to a folder that can be written/,
      ),
    })
    expect(await allOf(database)).toEqual(before)
    chmodSync(folder, 0o777)
    for (const end of ['', '-wal']) chmodSync(`${fileOf(database)}${end}`, 0o666)
    expect((await reads('search', 'log')).stdout).toContain('only in the log')
    rmSync(`${fileOf(database)}-shm`, { force: true })
  })
})

test('who reads a file that no program has open sees what one writes that comes later', async () => {
  const database = await made('SQLite')
  await database.use(fill)
  const reader = sqlite(fileOf(database), { readOnly: true })
  await reader.open()
  const texts = async () =>
    (await reader.log.readMessages({ namespace: 'default', id: 's' }, { limit: 1000, from: 'oldest' })).map(
      ({ content }) => content,
    )
  expect(await texts()).toEqual(['hello there'])
  const writer = await createPalimpsest({ store: sqlite(fileOf(database)), folding: 'manual' })
  await writer.session('s').append({ role: 'user', content: 'second' })
  expect(await texts()).toEqual(['hello there', 'second'])
  await writer.close()
  expect(await texts()).toEqual(['hello there', 'second'])
  // One that comes and is gone again between two reads, which copies its log into the file.
  const file = await made('SQLite')
  await file.use(fill)
  const other = sqlite(fileOf(file), { readOnly: true })
  await other.open()
  const count = async () =>
    (await other.sessions.readSession({ namespace: 'default', id: 's' }))?.head?.totals.messages
  expect(await count()).toBe(1)
  for (let more = 1; more <= 3; more++) {
    await file.use(async store => {
      const palimpsest = await createPalimpsest({ store, folding: 'manual' })
      await palimpsest.session('s').append(
        Array.from({ length: 50 }, (_, place) => ({
          role: 'user' as const,
          content: `${more} ${place} ${'x'.repeat(2000)}`,
        })),
      )
      await palimpsest.close()
    })
    expect(await count()).toBe(1 + 50 * more)
  }
  await other.close()
  await reader.close()
  expect(readdirSync(dirname(fileOf(file)))).toEqual(['palimpsest.db'])
})
