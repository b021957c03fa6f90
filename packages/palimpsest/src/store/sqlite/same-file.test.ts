import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Chat } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { SqliteDriver } from './driver.ts'
import { sqlite } from './index.ts'
import type { SameFileLimits } from './same-file.ts'

let folder: string
let file: string
let stores: Store[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-same-'))
  file = join(folder, 'test.db')
  stores = []
})

afterEach(async () => {
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(
  durability: 'full' | 'normal' = 'full',
  sameFile: Partial<SameFileLimits> = {},
): Promise<Store> {
  const store = new SqlStore(new SqliteDriver(file, { durability }, () => {}, { sameFile }), () => {})
  stores.push(store)
  await store.open()
  return store
}

/** Another database, whole and with no log. */
async function makeOther(messages: number): Promise<string> {
  const path = join(folder, 'other.db')
  const store = sqlite(path, { durability: 'normal' })
  await store.open()
  await new Chat(store).say(messages)
  await store.close()
  return path
}

const CHANGES: Readonly<Record<string, () => Promise<void> | void>> = {
  removed: () => rmSync(file),
  moved: () => renameSync(file, join(folder, 'elsewhere.db')),
  'replaced by another': async () => renameSync(await makeOther(3), file),
  'replaced by a copy of itself': () => {
    copyFileSync(file, join(folder, 'copy.db'))
    renameSync(join(folder, 'copy.db'), file)
  },
  'left without its log': () => rmSync(`${file}-wal`),
  'given another log': () => {
    copyFileSync(`${file}-wal`, join(folder, 'copy-wal'))
    renameSync(join(folder, 'copy-wal'), `${file}-wal`)
  },
}

describe.for(Object.keys(CHANGES))('a database that is %s under a running program', how => {
  test.for(['full', 'normal'] as const)('acknowledges nothing more (%s)', async durability => {
    const store = await open(durability, { writingMs: 0 })
    const chat = new Chat(store)
    await chat.say(3)
    await CHANGES[how]!()
    await refuses(chat.say(1), 'store_replaced')
    await refuses(chat.edit(1, 'x'), 'store_replaced')
    await refuses(store.sessions.readSession(chat.key), 'store_replaced')
    await refuses(store.erasure.scrub(), 'store_replaced')
  })

  test('is not read for long', async () => {
    const store = await open('normal', { readingMs: 0 })
    const chat = new Chat(store)
    await chat.say(3)
    await CHANGES[how]!()
    await refuses(chat.seqs(), 'store_replaced')
    await refuses(chat.say(1), 'store_replaced')
  })
})

test('it stays so when the file is put back, until the store is opened anew', async () => {
  const store = await open()
  await new Chat(store).say(3)
  renameSync(file, join(folder, 'elsewhere.db'))
  await refuses(new Chat(store).say(1), 'store_replaced')
  renameSync(join(folder, 'elsewhere.db'), file)
  await refuses(new Chat(store).say(1), 'store_replaced')
  await store.close()
  const again = new Chat(await open())
  expect((await again.seqs()).slice(0, 3)).toEqual([1, 2, 3])
  await again.say(1)
})

test('what took the place of the files is not touched, also not when the store is closed', async () => {
  const store = await open()
  await new Chat(store).say(3)
  renameSync(`${file}-wal`, join(folder, 'aside-wal'))
  renameSync(await makeOther(5), file)
  const before = readFileSync(file)
  writeFileSync(`${file}-wal`, 'not ours')
  await refuses(new Chat(store).say(1), 'store_replaced')
  await store.close()
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readFileSync(`${file}-wal`, 'utf8')).toBe('not ours')
})

test('a look is not taken more often than it is worth', async () => {
  const store = await open('normal', { writingMs: 1_000_000, readingMs: 1_000_000 })
  const chat = new Chat(store)
  await chat.say(3)
  rmSync(file)
  await chat.say(1)
  expect(await chat.seqs()).toHaveLength(4)
})

test('a reader of a file that was replaced reads the one that is there', async () => {
  const writer = await open('normal')
  await new Chat(writer).say(3)
  const reader = sqlite(file, { readOnly: true })
  stores.push(reader)
  await reader.open()
  expect(await new Chat(reader).seqs()).toHaveLength(3)
  const other = await makeOther(5)
  for (const end of ['-wal', '-shm']) if (existsSync(`${file}${end}`)) rmSync(`${file}${end}`)
  renameSync(other, file)
  expect(await new Chat(reader).seqs()).toHaveLength(5)
})
