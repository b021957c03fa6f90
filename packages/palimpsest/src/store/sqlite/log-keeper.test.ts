import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { SqliteDriver } from './driver.ts'
import { sqlite } from './index.ts'
import type { LogLimits } from './log-keeper.ts'
import { ENDLESS } from './long-work.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }
const NEVER = { copiedPages: Number.POSITIVE_INFINITY, idleMs: 1_000_000_000 }

let folder: string
let file: string
let stores: Store[]
let readers: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-log-'))
  file = join(folder, 'test.db')
  stores = []
  readers = []
})

afterEach(async () => {
  for (const reader of readers) reader.kill('SIGKILL')
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(
  limits: Partial<LogLimits> = {},
  warn = vi.fn(),
  stretch?: typeof ENDLESS,
): Promise<Store> {
  const driver = new SqliteDriver(file, { durability: 'normal' }, warn, { limits, stretch })
  const store = new SqlStore(driver, warn)
  stores.push(store)
  await store.open()
  return store
}

const logBytes = () => (existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0)

/** Texts that stand in their rows, so many bytes of them together. */
async function write(store: Store, bytes: number, name = 'chat'): Promise<void> {
  const chat = new Chat(store, name)
  for (let written = 0; written < bytes; written += 500_000)
    await chat.append(...Array.from({ length: 10 }, (_, place) => message(`${place} ${'x'.repeat(50_000)}`)))
}

/** Another process, that has read something and goes on reading. */
async function holdByReader(): Promise<() => Promise<void>> {
  const program = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1], { readOnly: true })
    database.exec('BEGIN')
    database.prepare('SELECT count(*) FROM sessions').get()
    console.log('reads')
    process.stdin.resume().on('end', () => process.exit())`
  const reader = spawn(process.execPath, ['-e', program, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  readers.push(reader)
  await once(reader.stdout!, 'data')
  return async () => {
    reader.stdin!.end()
    await once(reader, 'exit')
  }
}

describe('the log', () => {
  test('is small again after much was written, once nothing more is', async () => {
    const store = await open()
    await write(store, 30_000_000)
    expect(logBytes()).toBeGreaterThan(1_000_000)
    await expect.poll(logBytes, PATIENCE).toBeLessThan(100_000)
    expect((await new Chat(store).append(message('goes on'))).messages[0]?.seq).toBe(601)
  })

  test('that others left is small as well, also where nothing is written here', async () => {
    const store = await open(NEVER)
    await write(store, 10_000_000)
    const large = logBytes()
    expect(large).toBeGreaterThan(9_000_000)
    await open()
    await expect.poll(logBytes, PATIENCE).toBeLessThan(100_000)
  })

  test('is small when its writer ends beside another that is idle', async () => {
    await open(NEVER)
    const writer = await open(NEVER)
    await write(writer, 10_000_000)
    expect(logBytes()).toBeGreaterThan(9_000_000)
    await writer.close()
    expect(logBytes()).toBeLessThan(100_000)
  })

  test('that a reader of another process holds grows, is told of once, and is small once it has ended', async () => {
    const warn = vi.fn()
    const store = await open({ toldBytes: 8_000_000, copiedPages: 500, idleMs: 20 }, warn)
    await new Chat(store).append(message('first'))
    const end = await holdByReader()
    await write(store, 6_000_000)
    expect(warn).not.toHaveBeenCalled()
    await write(store, 14_000_000)
    await expect.poll(() => warn.mock.calls.length, PATIENCE).toBe(1)
    await write(store, 10_000_000)
    expect(logBytes()).toBeGreaterThan(29_000_000)
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(/test\.db-wal has grown to \d+ MB, since a reader keeps it from being copied/),
        { file: `${file}-wal`, bytes: expect.any(Number) },
      ],
    ])
    await end()
    await expect.poll(logBytes, PATIENCE).toBeLessThan(100_000)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('is cut to a limit while writing goes on', async () => {
    const store = await open({ copiedPages: 500, idleMs: NEVER.idleMs })
    await new Chat(store).append(message('first'))
    const end = await holdByReader()
    await write(store, 30_000_000)
    expect(logBytes()).toBeGreaterThan(29_000_000)
    await end()
    const shrinks = async () => {
      await write(store, 3_000_000)
      return logBytes()
    }
    await expect.poll(shrinks, PATIENCE).toBeLessThan(20_000_000)
  })

  test('that grows because others write all the time is not said to be held by a reader', async () => {
    const warn = vi.fn()
    const store = await open({ toldBytes: 500_000, copiedPages: 100, idleMs: NEVER.idleMs }, warn)
    await write(store, 1_000_000)
    const program = `const { DatabaseSync } = require('node:sqlite')
      const database = new DatabaseSync(process.argv[1], { timeout: 10_000 })
      database.exec('CREATE TABLE busy (text TEXT)')
      console.log('writes')
      for (const end = Date.now() + 1_500; Date.now() < end;)
        database.prepare('INSERT INTO busy VALUES (?)').run('x'.repeat(20_000))`
    const writer = spawn(process.execPath, ['-e', program, file], { stdio: ['pipe', 'pipe', 'inherit'] })
    readers.push(writer)
    const ended = once(writer, 'exit')
    await once(writer.stdout!, 'data')
    while (writer.exitCode === null) await write(store, 500_000)
    await ended
    expect(logBytes()).toBeGreaterThan(500_000)
    expect(warn).not.toHaveBeenCalled()
  })

  test('is never copied by the event loop, however long it is', async () => {
    // On a slow machine, too, nothing is done in a thread here.
    const store = await open(NEVER, vi.fn(), ENDLESS)
    await new Chat(store).append(message('first'))
    const before = readFileSync(file)
    // More than the 16,000 pages after which SQLite did it before.
    await write(store, 80_000_000)
    expect(logBytes()).toBeGreaterThan(16_000 * 4096)
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

// The locks of this one are files, so that it has no shared memory, as some network file systems.
test.runIf(process.platform !== 'win32')('where there can be no log the database is refused', async () => {
  const store = sqlite(`file:${file}?vfs=unix-dotfile`)
  await refuses(store.open(), 'store_unavailable')
  await expect(store.open()).rejects.toThrow(
    /cannot have a write-ahead log where it is \(its journal mode stays "delete"\).*a disk of this machine, or use PostgreSQL/,
  )
  expect(existsSync(file) ? statSync(file).size : 0).toBe(0)
})
