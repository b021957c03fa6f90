import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type StorePlace, sqliteBeside, sqlitePlace } from '../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { erase } from '../../testing/store-contract/erasing-kit.ts'
import type { Store } from '../store.ts'

const LONG = 65_536

describe('SQLite keeps the contract of stores where no text stands in its row', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = sqlitePlace()
    try {
      await run(async () => {
        const store = await place.open()
        keepAllApart(place)
        return store
      })
    } finally {
      await place.remove()
    }
  })
})

/** As if every text were a long one. */
function keepAllApart({ address }: StorePlace): void {
  const database = sqliteBeside(address)
  const triggers = database
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%> ${LONG}%'`)
    .all() as { name: string; sql: string }[]
  for (const { name, sql } of triggers)
    database.exec(`DROP TRIGGER ${name}; ${sql.replace(`> ${LONG}`, '> 0')}`)
  database.close()
}

describe('a long text', () => {
  let place: StorePlace
  let store: Store
  let chat: Chat

  beforeEach(async () => {
    place = sqlitePlace()
    store = await place.open()
    chat = new Chat(store)
  })
  afterEach(async () => {
    await store.close()
    await place.remove()
  })

  const long = (letter: string) => letter.repeat(LONG + 1)
  const texts = async (key = chat.key) =>
    (await store.readMessages(key, { limit: 10, from: 'oldest' })).map(({ content }) => content)

  function inDatabase<Result>(sql: string): Result[] {
    const database = sqliteBeside(place.address)
    const rows = database.prepare(sql).all() as Result[]
    database.close()
    return rows
  }

  const kept = () =>
    inDatabase<{ letter: string }>('SELECT substr(content, 1, 1) AS letter FROM long_texts ORDER BY id').map(
      ({ letter }) => letter,
    )

  test('is there once for all rows that have it, and goes with the last of them', async () => {
    await chat.append(message(long('a')), message('short'), message(long('b').slice(1)))
    expect(kept()).toEqual(['a'])
    await chat.edit(1, long('c'))
    await chat.edit(1, 'short again')
    expect(kept()).toEqual(['a', 'c'])
    await chat.fork('fork', 3)
    expect(kept()).toEqual(['a', 'c'])
    const versions = await store.readVersions(chat.beside('fork').key, 1)
    expect(versions.map(({ content }) => content)).toEqual([long('a'), long('c'), 'short again'])
    await erase(store, { kind: 'session', sessionId: 'fork' })
    expect(kept()).toEqual(['a', 'c'])
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [1] })
    expect(kept()).toEqual([])
  })

  test('that was sent before is known when it comes again, as it was and as it is', async () => {
    const sent = message(long('a'), { externalId: 'm1' })
    await chat.append(sent)
    await chat.edit(1, long('b'))
    expect(await chat.append(sent)).toMatchObject({ messages: [{ duplicate: true }] })
    expect(await chat.append(message(long('b'), { externalId: 'm1' }))).toMatchObject({
      messages: [{ duplicate: true }],
    })
    expect(await texts()).toEqual([long('b')])
  })

  test('is in its row where an earlier version wrote it there, and everything is done with it', async () => {
    await chat.append(message(long('a')), message('tea'))
    const database = sqliteBeside(place.address)
    database.exec(`UPDATE messages SET format = format - 8, content = (SELECT content FROM long_texts) WHERE seq = 1;
      DROP TRIGGER long_message_changes`)
    database.exec(`UPDATE messages SET format = 0, content = '${long('a')}' WHERE seq = 1`)
    database.close()
    expect(kept()).toEqual([])
    expect(await texts()).toEqual([long('a'), 'tea'])
    await chat.fork('fork', 2)
    expect(await texts(chat.beside('fork').key)).toEqual([long('a'), 'tea'])
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [1] })
    expect(await texts()).toEqual(['tea'])
    expect(kept()).toEqual([])
  })

  test('that is not there any more is damage, and no text', async () => {
    await chat.append(message(long('a')))
    inDatabase('DELETE FROM long_texts')
    await expect(texts()).rejects.toMatchObject({ code: 'store_corrupt' })
  })
})

describe('what looks like a mark', () => {
  const MARK = '"long text 1"'

  test('is a text as any other, wherever it stands', async () => {
    const place = sqlitePlace()
    const store = await place.open()
    const secret = `secret ${'x'.repeat(LONG)}`
    await new Chat(store, 'other').append(message(secret))
    const sender = { id: MARK, name: MARK }
    const chat = new Chat(store, MARK, { user: MARK, scope: MARK })
    await chat.append(
      message(MARK, { sender, externalId: MARK, replyTo: MARK }),
      message([{ type: 'text', text: MARK }]),
      message(JSON.stringify(MARK)),
      message(`${MARK}\0`),
    )
    await chat.edit(1, `${MARK} edited`)
    const seen = JSON.stringify([
      await store.readMessages(chat.key, { limit: 10, from: 'oldest' }),
      await store.readVersions(chat.key, 1),
      await store.exportSession(chat.key),
      await store.readSession(chat.key),
    ])
    expect(seen).toContain('long text 1')
    expect(seen).not.toContain('secret')
    await store.close()
    await place.remove()
  })
})
