import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runs } from '../../../../../test/runs.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { isUndone } from '../sql/undone.ts'
import { SqliteDriver } from './driver.ts'
import { type SyncFile, syncFile } from './synced-log.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-sync-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(file: string, sync?: SyncFile): Promise<SqlStore> {
  const noWarning = () => {}
  const store = new SqlStore(new SqliteDriver(file, {}, noWarning, { sync }), noWarning)
  await store.open()
  return store
}

/** What the disk surely holds is what was in the files when the last sync that has ended began. */
class Disk {
  readonly #file: string
  readonly #held: string
  count = 0

  constructor(place: string) {
    this.#file = join(place, 'store.db')
    this.#held = join(place, 'held')
  }

  readonly sync: SyncFile = async file => {
    const taken = join(this.#held, `${++this.count}`)
    for (const end of ['', '-wal']) cpSync(`${this.#file}${end}`, join(taken, `store.db${end}`))
    await syncFile(file)
    rmSync(join(this.#held, 'last'), { recursive: true, force: true })
    cpSync(taken, join(this.#held, 'last'), { recursive: true })
  }

  /** The texts of a session after a power cut. */
  async texts(session: string): Promise<readonly unknown[]> {
    const cut = mkdtempSync(join(folder, 'cut-'))
    cpSync(join(this.#held, 'last'), cut, { recursive: true })
    const store = await open(join(cut, 'store.db'))
    const { key } = new Chat(store, session)
    const messages = await store.log.readMessages(key, { limit: 100, from: 'oldest' })
    await store.close()
    return messages.map(({ content }) => content)
  }
}

test('what was acknowledged is on the disk, whatever is written at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 }), {
        minLength: 1,
        maxLength: 3,
      }),
      async rounds => {
        const place = mkdtempSync(join(folder, 'run-'))
        const disk = new Disk(place)
        const store = await open(join(place, 'store.db'), disk.sync)
        let number = 0
        for (const sessions of rounds)
          await Promise.all(
            sessions.map(async session => {
              const text = `${session} ${++number}`
              await new Chat(store, session).append(message(text))
              expect(await disk.texts(session)).toContain(text)
            }),
          )
        await store.close()
      },
    ),
    { numRuns: runs(6) },
  )
})

test('a message that is sent again waits for the first one to be on the disk', async () => {
  const disk = new Disk(folder)
  const store = await open(join(folder, 'store.db'), disk.sync)
  const chat = new Chat(store, 'chat')
  const sent = { ...message('hello'), externalId: 'm1' }
  const appended = chat.append(sent)
  const again = new Chat(store, 'chat').append(sent)
  await Promise.race([appended, again])
  expect(await disk.texts('chat')).toEqual(['hello'])
  await Promise.all([appended, again])
  await store.close()
})

test('a message that another program has written is on the disk before it is a duplicate', async ({
  onTestFinished,
}) => {
  const disk = Promise.withResolvers<void>()
  const first = await open(join(folder, 'store.db'), () => disk.promise)
  const syncs: number[] = []
  const second = await open(join(folder, 'store.db'), async file => {
    await syncFile(file)
    syncs.push(file)
  })
  onTestFinished(async () => {
    disk.resolve()
    for (const store of [first, second]) await store.close()
  })
  const sent = { ...message('hello'), externalId: 'm1' }
  const appended = new Chat(first).append(sent)
  await expect.poll(() => first.sessions.readSession(new Chat(first).key)).not.toBeNull()
  expect(await new Chat(second).append(sent)).toMatchObject({ messages: [{ duplicate: true }] })
  expect(syncs).toHaveLength(1)
  disk.resolve()
  await appended
})

test('those that come while the disk works share the next wait', async () => {
  let syncs = 0
  const store = await open(join(folder, 'store.db'), file => {
    syncs += 1
    return syncFile(file)
  })
  await Promise.all(
    Array.from({ length: 50 }, (_, place) => new Chat(store, `chat ${place}`).append(message('x'))),
  )
  expect(syncs).toBeLessThan(10)
  syncs = 0
  await store.log.readMessages(new Chat(store, 'chat 1').key, { limit: 10, from: 'oldest' })
  expect(syncs).toBe(0)
  await store.close()
})

test('after the disk has failed, nothing is acknowledged, and what is stored can be read', async () => {
  let fails = false
  const store = await open(join(folder, 'store.db'), async file => {
    if (fails) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    await syncFile(file)
  })
  const chat = new Chat(store, 'chat')
  await chat.append(message('kept'))
  fails = true
  const failure = await chat.append(message('in doubt')).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('start the program'),
  })
  expect(isUndone(failure)).toBe(false)
  fails = false
  const refusal = await chat.append(message('refused')).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'store_failed' })
  expect(isUndone(refusal)).toBe(true)
  const texts = await store.log.readMessages(chat.key, { limit: 10, from: 'oldest' })
  expect(texts.map(({ content }) => content)).toEqual(['kept', 'in doubt'])
  await store.close()
  const reopened = await open(join(folder, 'store.db'))
  await new Chat(reopened, 'chat').append(message('later'))
  await reopened.close()
})
