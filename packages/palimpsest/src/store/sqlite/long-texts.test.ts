import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inPorts } from '../../../../../test/fixtures/in-ports.ts'
import { loadSqlite } from '../../../../../test/fixtures/load.ts'
import { type StorePlace, sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { erase, indexAll, toldBySession } from '../../testing/store-contract/erasing-kit.ts'
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
    (await store.log.readMessages(key, { limit: 10, from: 'oldest' })).map(({ content }) => content)

  function inDatabase<Result>(sql: string): Result[] {
    const database = sqliteBeside(place.address)
    const rows = database.prepare(sql).all() as Result[]
    database.close()
    return rows
  }

  const kept = () =>
    inDatabase<{ letter: string }>(
      'SELECT substr(content, 1, 1) AS letter FROM long_texts ORDER BY rowid',
    ).map(({ letter }) => letter)

  test('is there once for all rows that have it, and goes with the last of them', async () => {
    await chat.append(message(long('a')), message('short'), message(long('b').slice(1)))
    expect(kept()).toEqual(['a'])
    await chat.edit(1, long('c'))
    await chat.edit(1, 'short again')
    expect(kept()).toEqual(['a', 'c'])
    await chat.fork('fork', 3)
    expect(kept()).toEqual(['a', 'c'])
    const versions = await store.log.readVersions(chat.beside('fork').key, 1)
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
  test('is a text as any other, wherever it stands', async () => {
    const place = sqlitePlace()
    const store = await place.open()
    const secret = `secret ${'x'.repeat(LONG)}`
    await new Chat(store, 'other').append(message(secret))
    const database = sqliteBeside(place.address, { readOnly: true })
    const { content: MARK } = database.prepare('SELECT content FROM messages').get() as { content: string }
    database.close()
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
      await store.log.readMessages(chat.key, { limit: 10, from: 'oldest' }),
      await store.log.readVersions(chat.key, 1),
      await store.transfer.exportSession(chat.key),
      await store.sessions.readSession(chat.key),
    ])
    expect(seen).toContain(MARK)
    expect(seen).not.toContain('secret')
    await store.close()
    await place.remove()
  })
})

describe('a program of the version before', () => {
  const NAMESPACE = { namespace: 'beside' }
  const long = (word: string) => `${word} `.repeat(LONG / word.length)

  /** Both have it open, and the newer one has migrated it. */
  async function openBoth(): Promise<{ old: Store; store: Store; place: StorePlace }> {
    const place = sqlitePlace()
    const file = place.address.slice('sqlite:'.length)
    loadSqlite(fileURLToPath(new URL('../../../../../test/fixtures/10/sqlite.sql', import.meta.url)), file)
    const fixture = new URL('../../../../../test/fixtures/10/stores.js', import.meta.url).href
    const old = inPorts((await import(fixture)).sqlite(file, { durability: 'normal' }))
    await old.open()
    return { old, store: await place.open(), place }
  }

  test('stores long texts as they are, refuses those of a newer one, and erases none by half', async () => {
    const { old, store, place } = await openBoth()
    const chat = new Chat(store, 'chat', NAMESPACE)
    const before = new Chat(old, 'chat', NAMESPACE)
    await chat.append(message(long('zanzibarium')))
    await before.append(message(long('quokka')), message('tea'))
    await indexAll(chat)
    const texts = (await chat.messages()).map(({ content }) => content)
    expect(texts).toEqual([long('zanzibarium'), long('quokka'), 'tea'])
    await expect(before.messages()).rejects.toMatchObject({ code: 'store_corrupt' })
    const target = { kind: 'messages', sessionId: 'chat', seqs: [1] } as const
    await expect(erase(old, target, NAMESPACE)).rejects.toMatchObject({ code: 'store_corrupt' })
    expect(await chat.messages()).toHaveLength(3)
    await erase(store, target, NAMESPACE)
    expect(await toldBySession(store, 'chat', 'beside')).not.toContain('zanzibarium')
    await old.close()
    await store.close()
    await place.remove()
  })

  test('copies no mark to another database, where it would be the text of another session', async () => {
    const [one, two] = [await openBoth(), await openBoth()]
    await new Chat(two.store, 'private', NAMESPACE).append(message(long('secret')))
    const chat = new Chat(one.store, 'mine', NAMESPACE)
    await chat.append(message(long('mine')))
    const original = (await one.old.copies.readCopyState(chat.key))!
    const pages = async function* () {
      for (let place: string | null = null; ; ) {
        const page = await one.old.copies.readCopyPage(chat.key, place as never)
        yield page
        place = page.next as string | null
        if (place === null) return
      }
    }
    const copy = two.old.copies.importCopy(chat.key, { original, pages: pages(), now: chat.now } as never)
    await expect(copy).rejects.toThrow('not in this database')
    expect(await new Chat(two.store, 'mine', NAMESPACE).messages()).toEqual([])
    for (const { old, store, place } of [one, two]) {
      await old.close()
      await store.close()
      await place.remove()
    }
  })
})
