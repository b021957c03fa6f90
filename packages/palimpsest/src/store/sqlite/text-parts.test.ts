import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { copyTemplate } from '../../../../../test/sqlite-template.ts'
import { type StorePlace, sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import { erase } from '../../testing/store-contract/erasing-kit.ts'
import { SqlStore } from '../sql/sql-store.ts'
import type { Store } from '../store.ts'
import { SqliteDriver } from './driver.ts'
import { TextsApart } from './texts-apart.ts'

const noWarning = () => {}

describe('SQLite keeps the contract of stores where every text is in parts', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = sqlitePlace()
    try {
      await run(async () => {
        const texts = new TextsApart(0)
        const file = place.address.replace(/^sqlite:/, '')
        copyTemplate(file)
        const driver = new SqliteDriver(file, { durability: 'normal' }, noWarning, { texts })
        const store = new SqlStore(driver, noWarning)
        await store.open()
        return store
      })
    } finally {
      await place.remove()
    }
  })
})

describe('a text that would not fit in its row', () => {
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

  const texts = async (key = chat.key) =>
    (await store.log.readMessages(key, { limit: 100, from: 'oldest' })).map(({ content }) => content)

  function inDatabase<Result>(sql: string): Result[] {
    const database = sqliteBeside(place.address)
    const rows = database.prepare(sql).all() as Result[]
    database.close()
    return rows
  }

  /** Of each text: its first letter, how many parts it has, and how many rows have it. */
  const kept = () =>
    inDatabase<{ letter: string; content: string; holders: number }>(
      'SELECT substr(content, 1, 1) AS letter, holders FROM text_parts WHERE holders IS NOT NULL ORDER BY id',
    ).map(({ letter, holders }) => `${letter}${holders}`)
  const parts = () =>
    inDatabase<{ octets: number }>(
      "SELECT octet_length(content) AS octets FROM text_parts WHERE content <> '' ORDER BY id",
    ).map(({ octets }) => octets)

  test('stands in equal parts, up to the size where it stands by itself', async () => {
    const sizes = [850, 950, 1_001, 2_500, 16_000, 16_001, 65_536, 65_537]
    await chat.append(...sizes.map(size => message('x'.repeat(size))))
    expect(parts()).toEqual([
      950,
      ...[501, 500],
      ...[834, 834, 832],
      ...Array.from({ length: 16 }, () => 1_000),
      16_001,
      65_536,
    ])
    expect(inDatabase('SELECT count(*) AS count FROM long_texts')).toEqual([{ count: 1 }])
    expect((await texts()).map(text => text.length)).toEqual(sizes)
  })

  test('is cut between characters', async () => {
    const said = ['яйцо ', '漢字', '😀', 'é'].flatMap(letters =>
      [400, 777, 1_111].map(times => `!${letters.repeat(times)}`),
    )
    await chat.append(...said.map(text => message(text)))
    expect(await texts()).toEqual(said)
    for (const octets of parts()) expect(octets).toBeLessThanOrEqual(1_004)
  })

  test('is there once for all rows that have it, and goes with the last of them', async () => {
    const long = (letter: string) => letter.repeat(1_500)
    await chat.append(message(long('a')), message('short'), message(long('b')))
    expect(kept()).toEqual(['a1', 'b1'])
    await chat.edit(1, long('c'))
    expect(kept()).toEqual(['a1', 'b1', 'c1'])
    await chat.edit(1, 'short again')
    await chat.fork('fork', 3)
    expect(kept()).toEqual(['a2', 'b2', 'c2'])
    const versions = await store.log.readVersions(chat.beside('fork').key, 1)
    expect(versions.map(({ content }) => content)).toEqual([long('a'), long('c'), 'short again'])
    await erase(store, { kind: 'session', sessionId: 'fork' })
    expect(kept()).toEqual(['a1', 'b1', 'c1'])
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [1] })
    expect(kept()).toEqual(['b1'])
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs: [3] })
    expect(parts()).toEqual([])
  })

  test('that was sent before is known when it comes again, as it was and as it is', async () => {
    const sent = message('a'.repeat(2_000), { externalId: 'm1' })
    await chat.append(sent)
    await chat.edit(1, 'b'.repeat(3_000))
    expect(await chat.append(sent)).toMatchObject({ messages: [{ duplicate: true }] })
    expect(await texts()).toEqual(['b'.repeat(3_000)])
    expect(kept()).toEqual(['a1', 'b1'])
  })

  test('stays in its row where that is as it was, until the operator says otherwise', async () => {
    inDatabase('UPDATE layout SET is_compact = 0')
    const again = await place.open()
    const beside = new Chat(again)
    await beside.append(message('a'.repeat(2_000)))
    expect(parts()).toEqual([])
    inDatabase('UPDATE layout SET is_compact = 1')
    await beside.append(message('b'.repeat(2_000)))
    expect(kept()).toEqual(['b1'])
    expect(await texts()).toEqual(['a'.repeat(2_000), 'b'.repeat(2_000)])
    await again.close()
  })

  test.for([
    ['is gone', 'DELETE FROM text_parts WHERE holders IS NOT NULL'],
    ['has a part less', "UPDATE text_parts SET content = '' WHERE holders IS NULL"],
  ])('that %s is damage, and no text', async ([, sql]) => {
    await chat.append(message('a'.repeat(3_000)))
    inDatabase(sql!)
    await expect(texts()).rejects.toMatchObject({ code: 'store_corrupt' })
  })

  test('is missed by a check-up that reads all', async () => {
    await chat.append(message('a'.repeat(3_000)), message('b'.repeat(3_000)))
    await chat.fork('fork', 2)
    const check = async () =>
      (await store.database.checkUp!({ now: 0, isDeep: true })).find(({ what }) => what === 'texts in parts')
    expect(await check()).toMatchObject({ isWell: true, details: { texts: 2, wrong: 0 } })
    inDatabase("UPDATE text_parts SET holders = 1 WHERE content LIKE 'a%' AND holders = 2")
    inDatabase("DELETE FROM text_parts WHERE content LIKE 'b%' AND holders = 2")
    expect(await check()).toMatchObject({ isWell: false, details: { texts: 2, wrong: 2 } })
  })

  test('is erased together with others, as many as are not too long together', async () => {
    const seqs = Array.from({ length: 12 }, (_, place) => place + 1)
    await chat.append(...seqs.map(() => message('word '.repeat(250))))
    await erase(store, { kind: 'messages', sessionId: 'chat', seqs })
    // As many times as 4,000 octets go into theirs: each is an event.
    const { count } = inDatabase<{ count: number }>(
      'SELECT count(*) AS count FROM events WHERE to_seq - from_seq = 2',
    )[0]!
    expect(count).toBe(4)
    expect(parts()).toEqual([])
  })
})

describe('a mark', () => {
  test('of another database, or of the middle of a text, is refused by the database', async () => {
    const [here, there] = [sqlitePlace(), sqlitePlace()]
    for (const place of [here, there]) {
      const store = await place.open()
      await new Chat(store).append(message('a'.repeat(3_000)), message('tea'))
      await store.close()
    }
    const mine = sqliteBeside(here.address)
    const foreign = sqliteBeside(there.address)
    const markIn = (database: typeof mine) =>
      (database.prepare('SELECT content FROM messages WHERE format > 3').get() as { content: string }).content
    const [first] = markIn(mine).split(' ')
    for (const mark of [markIn(foreign), `${Number(first) + 1} 1 1000`, 'tea', ''])
      for (const sql of [
        'UPDATE messages SET format = 4, content = ? WHERE seq = 2',
        `INSERT INTO message_versions (session_id, seq, version, content, format, replaced_at) VALUES (1, 2, 1, ?, 4, 0)`,
      ])
        expect(() => mine.prepare(sql).run(mark), mark).toThrow('not in this database')
    mine.close()
    foreign.close()
    await here.remove()
    await there.remove()
  })

  test('that somebody says is a text as any other', async () => {
    const place = sqlitePlace()
    const store = await place.open()
    await new Chat(store, 'other').append(message(`secret ${'x'.repeat(3_000)}`))
    const database = sqliteBeside(place.address, { readOnly: true })
    const { content: mark } = database.prepare('SELECT content FROM messages').get() as { content: string }
    database.close()
    const chat = new Chat(store, mark, { user: mark, scope: mark })
    await chat.append(
      message(mark, { sender: { id: mark, name: mark }, externalId: mark, replyTo: mark }),
      message([{ type: 'text', text: mark }]),
      message(JSON.stringify(mark)),
      message(`${mark}\0`),
      message(`${mark} `.repeat(100)),
    )
    await chat.edit(1, `${mark} edited`)
    const seen = JSON.stringify([
      await store.log.readMessages(chat.key, { limit: 10, from: 'oldest' }),
      await store.log.readVersions(chat.key, 1),
      await store.transfer.exportSession(chat.key),
    ])
    expect(seen).toContain(mark)
    expect(seen).not.toContain('secret')
    await store.close()
    await place.remove()
  })
})
