import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { readMigrations } from '../migrations.ts'
import type { Store } from '../store.ts'
import { backupSqlite, sqlite } from './index.ts'

const commands = { mount: 'mount', unmount: 'umount' }
const TEXT = 'The quick brown fox jumps over the lazy dog. '

let folder: string
let file: string
let target: string
let stores: Store[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-backup-'))
  file = join(folder, 'test.db')
  target = join(folder, 'backup.db')
  stores = []
})

afterEach(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(path = file, options: Parameters<typeof sqlite>[1] = {}): Promise<Store> {
  const store = sqlite(path, { durability: 'normal', ...options })
  stores.push(store)
  await store.open()
  return store
}

async function fill(messages: number, repeat = 1): Promise<void> {
  const store = await open()
  const chat = new Chat(store)
  for (let index = 0; index < messages; index += 100)
    await chat.append(
      ...Array.from({ length: 100 }, (_, place) => message(`${place} ${TEXT.repeat(repeat)}`)),
    )
  await store.close()
}

const left = () => readdirSync(folder).filter(name => name.startsWith('.') || name.startsWith('backup'))

/** Another process that writes numbers in a row, each in two tables, as fast as it can. */
async function startWriter(): Promise<() => Promise<void>> {
  const program = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1], { timeout: 10000 })
    database.exec('PRAGMA synchronous = OFF')
    console.log('writes')
    for (let number = 1; ; number++) {
      database.exec("BEGIN IMMEDIATE; UPDATE one SET number = " + number + "; UPDATE two SET number = " + number +
        "; INSERT INTO more (text) VALUES ('" + 'x'.repeat(3000) + "'); COMMIT")
    }`
  const writer = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(writer.stdout, 'data')
  return async () => {
    writer.kill('SIGKILL')
    await once(writer, 'exit')
  }
}

function addTables(): void {
  const database = new DatabaseSync(file)
  database.exec(`CREATE TABLE one (number INTEGER); CREATE TABLE filler (text TEXT); CREATE TABLE two (number INTEGER);
    CREATE TABLE more (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO one VALUES (0); INSERT INTO two VALUES (0)`)
  const insert = database.prepare('INSERT INTO filler VALUES (?)')
  database.exec('BEGIN')
  for (let row = 0; row < 5_000; row++) insert.run('y'.repeat(3_500))
  database.exec('COMMIT')
  database.close()
}

test('is of one moment, while another process writes all the time', async () => {
  await fill(200)
  addTables()
  const stop = await startWriter()
  const made = await backupSqlite(file, { to: target })
  await stop()
  expect(made).toMatchObject({ file: target, sessions: 1, messages: 200, generation: 1 })
  expect(made.id).toMatch(/^[0-9a-f]{32}$/)
  expect(made.bytes).toBe(statSync(target).size)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  const copy = new DatabaseSync(target)
  const { one, two, rows } = copy
    .prepare(
      'SELECT (SELECT number FROM one) one, (SELECT number FROM two) two, (SELECT count(*) FROM more) rows',
    )
    .get() as { one: number; two: number; rows: number }
  copy.close()
  expect([two, rows]).toEqual([one, one])
  expect(left()).toEqual(['backup.db'])
})

test('is opened by a store, with all that there was, and does not know the log of its source', async () => {
  const store = await open()
  const chat = new Chat(store)
  await chat.say(20)
  await chat.fold(10)
  const before = await store.transfer.exportSession(chat.key)
  await backupSqlite(file, { to: target })
  await chat.say(5)
  const asItWas = await open(target, { readOnly: true })
  expect(await asItWas.transfer.exportSession(chat.key)).toEqual(before)
  expect(await asItWas.database.readIdentity()).toEqual(await store.database.readIdentity())
  await asItWas.close()
  writeFileSync(`${target}-wal`, readFileSync(`${file}-wal`))
  await refuses(open(target), 'store_corrupt')
  rmSync(`${target}-wal`)
  await new Chat(await open(target)).say(1)
})

test('of an older schema is made without a migration, and leaves everything as it is', async () => {
  const old = new DatabaseSync(file)
  const migrations = readMigrations(new URL('./migrations/', import.meta.url)).slice(0, 3)
  for (const { sql } of migrations) old.exec(sql)
  old.exec(`PRAGMA user_version = 3; PRAGMA application_id = ${0x50414c49}; PRAGMA journal_mode = WAL`)
  old.close()
  const before = readFileSync(file)
  expect(await backupSqlite(file, { to: target })).toMatchObject({ sessions: 0, id: null, generation: null })
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'test.db'])
  const copy = new DatabaseSync(target, { readOnly: true })
  expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 })
  copy.close()
})

describe('is refused, and nothing is left', () => {
  test('where a file has the name, unless it may be taken', async () => {
    await fill(100)
    writeFileSync(target, 'mine')
    await refuses(backupSqlite(file, { to: target }), 'invalid_argument')
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(left()).toEqual(['backup.db'])
    await backupSqlite(file, { to: target, overwrite: true })
    expect(await new Chat(await open(target)).seqs()).toHaveLength(100)
  })

  test('over the database itself, by whatever name', async () => {
    await fill(100)
    const before = readFileSync(file)
    symlinkSync(file, target)
    for (const to of [file, target, `${file}-wal`])
      await refuses(backupSqlite(file, { to, overwrite: true }), 'invalid_argument')
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('beside a log that SQLite would put into it', async () => {
    await fill(100)
    writeFileSync(`${target}-wal`, 'of another')
    await refuses(backupSqlite(file, { to: target }), 'invalid_argument')
    expect(left()).toEqual(['backup.db-wal'])
  })

  test('into a folder that is not there', async () => {
    await fill(100)
    await refuses(backupSqlite(file, { to: join(folder, 'missing', 'a.db') }), 'file_not_written')
  })

  test('of what is damaged, or not ours', async () => {
    await fill(2_000)
    const whole = readFileSync(file)
    const torn = Buffer.from(whole)
    const page = Math.floor(torn.length / 4096 / 2)
    torn.fill(1, page * 4096, (page + 1) * 4096)
    writeFileSync(file, torn)
    await refuses(backupSqlite(file, { to: target }), 'store_corrupt')
    expect(left()).toEqual([])
    writeFileSync(file, 'Dear diary')
    await refuses(backupSqlite(file, { to: target }), 'store_corrupt')
    rmSync(file)
    new DatabaseSync(file).exec('CREATE TABLE theirs (a)')
    await refuses(backupSqlite(file, { to: target }), 'store_version')
    expect(left()).toEqual([])
  })

  test('where rows belong to others that are gone', async () => {
    await fill(100)
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
    database.exec(
      'CREATE TABLE extra (session INTEGER REFERENCES sessions (id)); INSERT INTO extra VALUES (99)',
    )
    database.close()
    await refuses(backupSqlite(file, { to: target }), 'store_corrupt')
    expect(left()).toEqual([])
  })

  test('where the disk has no room for it, before anything is written', async context => {
    const disk = mkdtempSync(join(tmpdir(), 'palimpsest-disk-'))
    const { status } = spawnSync(commands.mount, ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    if (status !== 0) {
      rmSync(disk, { recursive: true })
      return context.skip()
    }
    try {
      await fill(1_000, 50)
      const error = await backupSqlite(file, { to: join(disk, 'a.db') }).catch(error => error)
      expect(error).toMatchObject({ code: 'store_full' })
      expect(error.message).toMatch(/\d+ MB free and \d+ MB are needed/)
      expect(readdirSync(disk)).toEqual([])
    } finally {
      spawnSync(commands.unmount, [disk])
      rmSync(disk, { recursive: true })
    }
  })
})

test.for([0, 1, 2])('broken off after %i steps leaves nothing behind', async steps => {
  await fill(100)
  addTables()
  const stopping = new AbortController()
  let seen = 0
  const onStage = () => {
    if (seen++ === steps) stopping.abort(new Error('enough'))
  }
  if (steps === 0) stopping.abort(new Error('enough'))
  await expect(backupSqlite(file, { to: target, onStage, signal: stopping.signal })).rejects.toThrow('enough')
  expect(left()).toEqual([])
  await backupSqlite(file, { to: target })
})

test('without the read transaction SQLite would begin anew with each write of another', async () => {
  await fill(100)
  addTables()
  const stop = await startWriter()
  const source = new DatabaseSync(file, { readOnly: true })
  let [restarts, most] = [0, 0]
  const stopping = new Error('enough')
  await backup(source, target, {
    rate: 200,
    progress: ({ totalPages, remainingPages }) => {
      const copied = totalPages - remainingPages
      if (copied < most) restarts++
      most = Math.max(copied, most)
      if (restarts > 3) throw stopping
    },
  }).catch(error => {
    if (error !== stopping) throw error
  })
  source.close()
  await stop()
  expect(restarts).toBeGreaterThan(0)
})

test('a process that is killed in the middle leaves no file of the name', async () => {
  await fill(100)
  addTables()
  const script = `import(${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))}).then(({ backupSqlite }) =>
    backupSqlite(process.argv[1], { to: process.argv[2], onStage: () => process.kill(process.pid, 'SIGKILL') }))`
  const child = spawn(process.execPath, ['-e', script, file, target], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  expect(left().every(name => name.startsWith('.backup.db.'))).toBe(true)
  await backupSqlite(file, { to: target })
})
