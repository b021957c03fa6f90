import { describe, expect, test } from 'vitest'
import { type StorePlace, sqlitePlace } from '../../../../../test/stores.ts'
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
  const driver = new SqliteDriver(file, { durability: 'normal' }, noWarning, { stretch })
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
      (await store.log.readMessages(chat.key, { limit: 10, from: 'oldest' })).map(({ content }) => content)
    expect((await texts()).map(text => text.length)).toEqual([6, long.length, 5])
    expect((await texts())[1]).toBe(long)
    await chat.edit(2, `${long} again`)
    await chat.fork('fork', 3)
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [2] })
    for (const each of [chat, chat.beside('fork')]) {
      const left = await store.log.readMessages(each.key, { limit: 10, from: 'oldest' })
      expect(left.map(({ seq }) => seq)).toEqual([1, 3])
    }
    await store.close()
    await place.remove()
  })

  test('is not written to a database that was opened for reading only', async () => {
    const place = sqlitePlace()
    await (await open(place)).close()
    const driver = new SqliteDriver(place.address.replace(/^sqlite:/, ''), { readOnly: true }, noWarning)
    const store = new SqlStore(driver, noWarning)
    await store.open()
    for (const text of ['a', 'a'.repeat(MEGABYTES)])
      await expect(new Chat(store).append(message(text))).rejects.toMatchObject({ code: 'store_read_only' })
    await store.close()
    await place.remove()
  })

  test('leaves nothing behind where its transaction fails', async () => {
    const place = sqlitePlace()
    const store = await open(place)
    const chat = new Chat(store)
    await chat.append(message('a'))
    await expect(chat.edit(2, 'b'.repeat(MEGABYTES))).rejects.toMatchObject({ code: 'message_not_found' })
    const left = await store.log.readMessages(chat.key, { limit: 10, from: 'oldest' })
    expect(left.map(({ seq }) => seq)).toEqual([1])
    await store.close()
    await place.remove()
  })
})
