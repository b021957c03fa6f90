import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Store, sqlite } from 'palimpsest'
import { Chat } from 'palimpsest/internals/testing/store-contract/chat'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { backupName } from './backup-names.ts'
import { type Backups, backupPlan, keepBackups } from './keep-backups.ts'
import { programLog } from './program-log.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }
const HOUR = 3_600_000

let place: string
let folder: string
let db: string
let store: Store
let running: Backups[]
let said: string[]

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'palimpsest-backups-'))
  folder = join(place, 'backups', 'daily')
  db = join(place, 'bot.db')
  running = []
  said = []
  store = await fill(db)
})

afterEach(async () => {
  for (const backups of running) await backups.close()
  await store.close()
  rmSync(place, { recursive: true, force: true })
})

async function fill(file: string): Promise<Store> {
  const made = sqlite(file, { durability: 'normal' })
  await made.open()
  await new Chat(made).say(5)
  return made
}

/** As what was in the log is in the file. */
async function settle(): Promise<void> {
  await store.close()
  store = sqlite(db, { durability: 'normal' })
  await store.open()
}

function keep(plan: Partial<Parameters<typeof keepBackups>[0]> = {}, retryMs?: number): Backups {
  const log = programLog({ error: { write: (text: string) => said.push(text) } as never })
  const backups = keepBackups(
    { db, folder, everyMs: HOUR, keep: 3, ...plan },
    log,
    retryMs === undefined ? {} : { retryMs },
  )
  running.push(backups)
  return backups
}

const files = () => readdirSync(folder).toSorted()
const untilThereAre = (count: number) => vi.waitFor(() => expect(files()).toHaveLength(count), PATIENCE)

/** Earlier backups, by their names. */
async function make(...hoursAgo: readonly number[]): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  const { backupSqlite } = await import('palimpsest/internals/store/sqlite/backup')
  const names = hoursAgo.map(hours => backupName(db, Date.now() - hours * HOUR))
  for (const name of names) await backupSqlite(db, { to: join(folder, name) })
  return names
}

test('the first is made at once, in a folder that is made for it, and can be opened', async () => {
  keep()
  await vi.waitFor(() => expect(files().map(name => name.slice(0, 4))).toEqual(['bot-']), PATIENCE)
  const [name] = files()
  const copy = sqlite(join(folder, name!), { readOnly: true })
  await copy.open()
  expect(await new Chat(copy).seqs()).toHaveLength(5)
  await copy.close()
  expect(said).toEqual([])
})

test('none is made before the newest is old enough', async () => {
  await settle()
  const [newest] = await make(0.5)
  const backups = keep()
  await backups.close()
  expect(files()).toEqual([newest])
})

test('the oldest above the number are removed once there is a new one, and nothing else is', async () => {
  await settle()
  const own = await make(30, 20, 10, 2)
  const other = join(place, 'other.db')
  await (await fill(other)).close()
  const { backupSqlite } = await import('palimpsest/internals/store/sqlite/backup')
  // Of another database that had the same name.
  const foreign = backupName(db, Date.now() - 40 * HOUR)
  await backupSqlite(other, { to: join(folder, foreign) })
  const strange = ['bot-notes.db', 'bot-2020-01-01T00-00-00Z.db', 'robot-2020-01-01T00-00-00Z.db']
  for (const name of strange) writeFileSync(join(folder, name), 'mine')
  const stale = '.bot-2020-01-01T00-00-00Z.db.0123456789ab.partial'
  writeFileSync(join(folder, stale), 'torn')
  utimesSync(join(folder, stale), 0, 0)
  keep({ keep: 2 })
  await vi.waitFor(() => {
    expect(files()).not.toContain(own[2])
  }, PATIENCE)
  const left = files()
  for (const name of [...strange, foreign, own[3]!]) expect(left).toContain(name)
  for (const name of [...own.slice(0, 3), stale]) expect(left).not.toContain(name)
  expect(left).toHaveLength(strange.length + 3)
  expect(readFileSync(join(folder, 'bot-notes.db'), 'utf8')).toBe('mine')
})

test('what goes wrong is told, removes nothing, and is tried again', async () => {
  await settle()
  const own = await make(30, 20)
  // In the place of the database there is none for a while.
  await store.close()
  const whole = readFileSync(db)
  writeFileSync(db, 'Dear diary')
  keep({ keep: 1 }, 50)
  await vi.waitFor(
    () => expect(said.join('')).toMatch(/warning: no backup was made.*not a SQLite database/s),
    PATIENCE,
  )
  for (const name of own) expect(files()).toContain(name)
  writeFileSync(db, whole)
  await vi.waitFor(() => expect(files()).toHaveLength(1), PATIENCE)
  expect(own).not.toContain(files()[0])
  store = sqlite(db)
})

test('one that is under way when the program stops leaves nothing behind', async () => {
  await new Chat(store).say(500)
  const backups = keep()
  await untilThereAre(1)
  await backups.close()
  expect(files().filter(name => name.startsWith('.'))).toEqual([])
  expect(said).toEqual([])
})

test('two programs on one folder make one', async () => {
  await settle()
  keep()
  await untilThereAre(1)
  await vi.waitFor(() => expect(files()[0]).toMatch(/Z\.db$/), PATIENCE)
  const second = keep()
  await second.close()
  expect(files()).toHaveLength(1)
})

test('on PostgreSQL it says what to run, and a database in memory has none', () => {
  const settings = { backup: folder, backupEvery: '24h', backupKeep: 7 }
  expect(() => backupPlan(settings, { db, store: 'postgres://me:secret@host/database' })).toThrow(
    /pg_dump .*--schema=palimpsest --schema=palimpsest_jobs .*postgres:\/\/me@host\/database/,
  )
  expect(() => backupPlan(settings, { db: ':memory:' })).toThrow(/by its file/)
  expect(backupPlan({ ...settings, backup: null }, { db })).toBeNull()
  expect(backupPlan({ ...settings, backupEvery: '90m' }, { db })).toMatchObject({
    everyMs: 5_400_000,
    keep: 7,
  })
})
