import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bytesInFiles } from '../../../../../test/erasure/bytes-in-files.ts'
import { Chat, checkFigures, message } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { announce, readAnnouncement } from './announcement.ts'
import { SqliteDriver, type SqliteOptions } from './driver.ts'
import { sqlite } from './index.ts'

const CANARY = 'canary-7f3a'

let folder: string
let file: string
let drivers: SqliteDriver[]
let connections: DatabaseSync[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-scrub-'))
  file = join(folder, 'test.db')
  drivers = []
  connections = []
})

afterEach(async () => {
  for (const connection of connections) if (connection.isOpen) connection.close()
  for (const driver of drivers) await driver.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(
  options: SqliteOptions = {},
  path = file,
): Promise<{ driver: SqliteDriver; store: Store }> {
  const driver = new SqliteDriver(path, { durability: 'normal', ...options })
  drivers.push(driver)
  const store = new SqlStore(driver, () => {})
  await store.open()
  return { driver, store }
}

function connect(): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: 10_000 })
  connections.push(connection)
  return connection
}

/** Two chats, of which one has the canary in every message, long and short ones; then that one is deleted. */
async function fillAndDelete(store: Store, messages: number): Promise<void> {
  const [kept, deleted] = [new Chat(store, 'kept'), new Chat(store, 'deleted')]
  for (let sent = 0; sent < messages; sent += 250) {
    const texts = Array.from({ length: 250 }, (_, index) => `${sent + index} lorem ipsum `.repeat(index % 90))
    await kept.append(...texts.map(text => message(`fine ${text}`)))
    await deleted.append(...texts.map(text => message(`${CANARY} ${text}`)))
  }
  connect().exec(
    "DELETE FROM messages WHERE session_id = (SELECT id FROM sessions WHERE name_key = 'deleted')",
  )
}

describe('a scrub', () => {
  test('leaves no byte of what was deleted, and all else as it was', async () => {
    const { store, driver } = await open()
    await fillAndDelete(store, 3_000)
    expect(bytesInFiles(folder, CANARY)).not.toEqual({})
    const before = await store.transfer.exportSession({ namespace: 'test', id: 'kept' })
    const begun: number[] = []
    expect(await driver.scrub(({ bytes }) => begun.push(bytes))).toBe(true)
    expect(begun).toEqual([expect.any(Number)])
    expect(bytesInFiles(folder, CANARY)).toEqual({})
    // All that came since is that it is over.
    expect(statSync(`${file}-wal`).size).toBeLessThan(20_000)
    expect(await store.transfer.exportSession({ namespace: 'test', id: 'kept' })).toEqual(before)
    await checkFigures(new Chat(store, 'kept'))
    await store.close()
    expect(bytesInFiles(folder, CANARY)).toEqual({})
  })

  test('waits for whoever reads what was there before: not yet, and then all of it', async () => {
    const { store } = await open()
    await fillAndDelete(store, 500)
    const reader = connect()
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM messages').get()
    expect(await store.erasure.scrub()).toBe(false)
    await new Chat(store, 'kept').say(1)
    expect(await store.erasure.scrub()).toBe(false)
    reader.exec('COMMIT')
    expect(await store.erasure.scrub()).toBe(true)
    expect(bytesInFiles(folder, CANARY)).toEqual({})
    expect(readAnnouncement(connect())).toBe(null)
  })

  test('gives up on somebody who writes for too long, and can be repeated', async () => {
    const { store } = await open({ busyTimeoutMs: 30 })
    await fillAndDelete(store, 250)
    const writer = connect()
    writer.exec('BEGIN IMMEDIATE')
    expect(await store.erasure.scrub()).toBe(false)
    writer.exec('ROLLBACK')
    expect(await store.erasure.scrub()).toBe(true)
    expect(bytesInFiles(folder, CANARY)).toEqual({})
  })

  test('makes appends wait that would not wait so long for anybody else, here and elsewhere', async () => {
    const { store, driver } = await open({ busyTimeoutMs: 10_000 })
    const [here, there] = [
      new Chat(store, 'here'),
      new Chat((await open({ busyTimeoutMs: 100 })).store, 'there'),
    ]
    await fillAndDelete(store, 6_000)
    await Promise.all([here.say(1), there.say(1)])
    let isDone = false
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const scrub = driver
      .scrub(() => resolve())
      .finally(() => {
        isDone = true
      })
    await begun
    let appends = 0
    while (!isDone) {
      await Promise.all([here.say(1), there.say(1)])
      appends += 1
    }
    expect(await scrub).toBe(true)
    expect(await here.seqs()).toHaveLength(appends + 1)
    expect(await there.seqs()).toHaveLength(appends + 1)
    expect(bytesInFiles(folder, CANARY)).toEqual({})
  })

  test('that several ask for while one is under way is made once more, for all of them', async () => {
    const { store, driver } = await open()
    await fillAndDelete(store, 250)
    let begun = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const scrub = () =>
      driver.scrub(() => {
        begun += 1
        resolve()
      })
    const first = scrub()
    await promise
    expect(await Promise.all([first, scrub(), scrub(), scrub()])).toEqual([true, true, true, true])
    expect(begun).toBe(2)
  })

  test('is waited for when the store is closed', async () => {
    const { store } = await open()
    await fillAndDelete(store, 1_000)
    const scrub = store.erasure.scrub()
    await store.close()
    expect(await scrub).toBe(true)
    expect(bytesInFiles(folder, CANARY)).toEqual({})
    await refuses(store.erasure.scrub(), 'closed')
  })

  test('of a database in memory has nothing to do, and of one for reading only is refused', async () => {
    const memory = sqlite(':memory:')
    await memory.open()
    await new Chat(memory).say(1)
    expect(await memory.erasure.scrub()).toBe(true)
    expect(await new Chat(memory).seqs()).toEqual([1])
    await memory.close()
    await (await open()).store.close()
    await refuses((await open({ readOnly: true })).store.erasure.scrub(), 'store_read_only')
  })

  test('makes no new file where somebody took the database away', async () => {
    const { store } = await open()
    await new Chat(store).say(1)
    rmSync(file)
    await refuses(store.erasure.scrub(), 'store_replaced')
    expect(() => statSync(file)).toThrow()
  })
})

test('whoever is locked out waits as long as a scrub is announced', async () => {
  const { store } = await open({ busyTimeoutMs: 20 })
  const chat = new Chat(store)
  await chat.say(1)
  const scrubber = connect()
  announce(scrubber, { owner: 'another process', until: Date.now() + 60_000 })
  scrubber.exec('BEGIN IMMEDIATE')
  const append = chat.say(1)
  const start = performance.now()
  while (performance.now() < start + 200) await new Promise(resolve => setImmediate(resolve))
  expect(await chat.seqs()).toEqual([1])
  scrubber.exec('ROLLBACK')
  expect(await append).toEqual([2])
})

test('an announcement that was left behind makes nobody wait whom nobody holds up', async () => {
  const { store } = await open({ busyTimeoutMs: 30 })
  await new Chat(store).say(1)
  const left = connect()
  announce(left, { owner: 'dead', until: Date.now() + 3_600_000 })
  expect(await new Chat(store).say(1)).toEqual([2])
  // Nor for ever whom somebody does: it runs out.
  left.exec("UPDATE leases SET until = 1 WHERE name = 'scrub'; BEGIN IMMEDIATE")
  await refuses(new Chat(store).say(1), 'store_busy')
  left.exec('ROLLBACK')
})

test('an announcement of a clock that was a month ahead makes nobody wait', { timeout: 30_000 }, async () => {
  const { store } = await open({ busyTimeoutMs: 30 })
  await new Chat(store).say(1)
  const left = connect()
  announce(left, { owner: 'dead', until: Date.now() + 30 * 86_400_000 })
  left.exec('BEGIN IMMEDIATE')
  await refuses(new Chat(store).say(1), 'store_busy')
  left.exec('ROLLBACK')
})

test('kill -9 in the middle leaves the database whole, and a repeat does it', async () => {
  const { store } = await open()
  await fillAndDelete(store, 6_000)
  const before = await store.transfer.exportSession({ namespace: 'test', id: 'kept' })
  await store.close()
  const { size } = statSync(file)
  for (const share of [0, 0.01, 0.2, 0.4]) {
    // On a busy machine it may have ended before it is killed.
    while ((await killScrub(share * size)) !== 'SIGKILL');
    const again = await open()
    expect(await again.store.transfer.exportSession({ namespace: 'test', id: 'kept' })).toEqual(before)
    expect(connect().prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    await new Chat(again.store, 'other').say(2)
    await again.store.close()
  }
  const { store: last } = await open()
  expect(await last.erasure.scrub()).toBe(true)
  expect(bytesInFiles(folder, CANARY)).toEqual({})
  expect(await last.transfer.exportSession({ namespace: 'test', id: 'kept' })).toEqual(before)
})

/** Another process scrubs, and dies once it has begun and the log has grown to so many bytes. */
async function killScrub(bytes: number): Promise<NodeJS.Signals | null> {
  const script = fileURLToPath(new URL('../../../../../test/erasure/scrub-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, file])
  let hasBegun = false
  child.stdout.on('data', () => {
    hasBegun = true
  })
  const ended = new Promise<NodeJS.Signals | null>(resolve =>
    child.on('close', (_, signal) => resolve(signal)),
  )
  const isThere = () => hasBegun && statSync(`${file}-wal`).size >= bytes
  while (!isThere() && child.exitCode === null) await new Promise(resolve => setImmediate(resolve))
  child.kill('SIGKILL')
  return ended
}

const commands = { mount: 'mount', unmount: 'umount' }

/** Only a superuser can have one: `null`. */
function mountSmallDisk(): string | null {
  const disk = mkdtempSync(join(tmpdir(), 'palimpsest-disk-'))
  const { status } = spawnSync(commands.mount, ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk])
  if (status !== 0) rmSync(disk, { recursive: true })
  return status === 0 ? disk : null
}

test('a disk without room for the copy: a typed error with what is needed, and nothing is lost', async context => {
  const disk = mountSmallDisk()
  if (disk === null) return context.skip()
  try {
    const path = join(disk, 'test.db')
    const { store, driver } = await open({}, path)
    const chat = new Chat(store)
    for (let sent = 0; sent < 14; sent++) {
      await chat.append(message(`${CANARY} ${sent} ${'x'.repeat(900_000)}`))
      const connection = new DatabaseSync(path)
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      connection.close()
    }
    const begun: number[] = []
    await expect(driver.scrub(({ bytes }) => begun.push(bytes))).rejects.toMatchObject({
      code: 'store_full',
      message: expect.stringMatching(/\d+ MB free and \d+ MB are needed/),
    })
    expect(begun).toEqual([])
    expect(await chat.seqs()).toHaveLength(14)
    expect(await chat.say(1)).toEqual([15])
    const connection = new DatabaseSync(path)
    connection.exec('DELETE FROM messages WHERE seq <= 10')
    connection.close()
    expect(await store.erasure.scrub()).toBe(true)
    await store.close()
    // A page that was split may hold what is still there twice.
    const left = readFileSync(path, 'latin1').matchAll(new RegExp(`${CANARY} (\\d+)`, 'g'))
    expect([...new Set([...left].map(([, sent]) => Number(sent)))].sort()).toEqual([10, 11, 12, 13])
  } finally {
    for (const driver of drivers) await driver.close()
    spawnSync(commands.unmount, [disk])
    rmSync(disk, { recursive: true, force: true })
  }
})
