import { describe, expect, test } from 'vitest'
import { type StorePlace, sqliteBeside, sqlitePlace } from '../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { erase } from '../../testing/store-contract/erasing-kit.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { SqliteDriver } from './driver.ts'
import type { Stretch } from './long-work.ts'

const noWarning = () => {}

/** Of what is long in earnest: messages, and all that is done with them. */
const CASES = storeContract.filter(({ name }) =>
  /^(append|export and import|content|edit|erased messages|fork|the index|replacing a tail|rollback|what outlives a call)\b/.test(
    name,
  ),
)

describe.for<[string, Stretch]>([
  ['from its first statement on', { characters: Number.POSITIVE_INFINITY, ms: -1 }],
  ['in the middle of it', { characters: 100, ms: Number.POSITIVE_INFINITY }],
])('SQLite keeps the contract of stores where a transaction proves long %s', ([, stretch]) => {
  test.for(CASES)('$name', async ({ run }) => {
    const place = sqlitePlace()
    try {
      await run(() => open(place, stretch))
    } finally {
      await place.remove()
    }
  })
})

async function open({ address }: StorePlace, stretch?: Stretch): Promise<Store> {
  const file = address.replace(/^sqlite:/, '')
  const driver = new SqliteDriver(file, { durability: 'normal' }, noWarning, stretch)
  const store = new SqlStore(driver, noWarning)
  await store.open()
  return store
}

const MEGABYTES = 3_000_000

describe('a message of megabytes', () => {
  test('goes in, comes out and is erased beside short ones, in the order in which it was said', async () => {
    const place = sqlitePlace()
    const store = await open(place)
    const chat = new Chat(store)
    const long = `${'…'.repeat(MEGABYTES)} harbour`
    await Promise.all([
      chat.append(message('before')),
      chat.append(message(long)),
      chat.append(message('after')),
    ])
    const texts = async () =>
      (await store.readMessages(chat.key, { limit: 10, from: 'oldest' })).map(({ content }) => content)
    expect((await texts()).map(text => text.length)).toEqual([6, long.length, 5])
    expect((await texts())[1]).toBe(long)
    await chat.edit(2, `${long} again`)
    await chat.fork('fork', 3)
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [2] })
    for (const each of [chat, chat.beside('fork')]) {
      const left = await store.readMessages(each.key, { limit: 10, from: 'oldest' })
      expect(left.map(({ seq }) => seq)).toEqual([1, 3])
    }
    await store.close()
    await place.remove()
  })

  test('is there once for all rows that have it, and goes with the last of them', async () => {
    const place = sqlitePlace()
    const store = await open(place)
    const chat = new Chat(store)
    const kept = () => {
      const database = sqliteBeside(place.address, { readOnly: true })
      const rows = database
        .prepare('SELECT length(content) AS length, uses FROM long_texts JOIN long_text_uses USING (id)')
        .all()
      const { marks } = database.prepare('SELECT count(*) AS marks FROM long_text_uses').get() as {
        marks: number
      }
      database.close()
      expect(marks).toBe(rows.length)
      return rows.map(({ length, uses }) => [length, uses])
    }
    // What looks like a mark is a text as any other.
    const mark = '"\uE000long:1"'
    await chat.append(message('a'.repeat(70_000)), message('short'), message(mark))
    expect(kept()).toEqual([
      [70_000, 1],
      [mark.length, 1],
    ])
    await chat.edit(1, 'b'.repeat(80_000))
    await chat.edit(1, mark)
    await chat.fork('fork', 3)
    expect(kept().map(([length]) => length)).toEqual([mark.length, 70_000, 80_000, mark.length])
    const all = await store.readMessages(chat.beside('fork').key, { limit: 10, from: 'oldest' })
    expect(all.map(({ content }) => content)).toEqual([mark, 'short', mark])
    const versions = await store.readVersions(chat.key, 1)
    expect(versions.map(({ content }) => content.length)).toEqual([70_000, 80_000, mark.length])
    // A file holds the texts themselves, and so does a database that takes them in.
    const file = await store.exportSession(chat.key)
    await store.importSession({ ...chat.key, id: 'imported' }, file, {
      now: chat.now,
      measure: () => ({ characters: 1, tokens: 1 }),
      groupTurnMessages: 1,
    })
    expect(await store.readVersions({ ...chat.key, id: 'imported' }, 1)).toMatchObject(
      versions.map(({ content }) => ({ content })),
    )
    for (const sessionId of ['imported', 'fork', 'chat']) {
      expect(kept()).not.toEqual([])
      await erase(store, { kind: 'session', sessionId })
    }
    expect(kept()).toEqual([])
    await store.close()
    await place.remove()
  })

  test('leaves nothing behind where its transaction fails', async () => {
    const place = sqlitePlace()
    const store = await open(place)
    const chat = new Chat(store)
    await chat.append(message('a'))
    await expect(chat.edit(2, 'b'.repeat(MEGABYTES))).rejects.toMatchObject({ code: 'message_not_found' })
    const left = await store.readMessages(chat.key, { limit: 10, from: 'oldest' })
    expect(left.map(({ seq }) => seq)).toEqual([1])
    await store.close()
    await place.remove()
  })
})
