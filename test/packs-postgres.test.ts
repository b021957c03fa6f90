import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { dailyKey } from '../packages/palimpsest/src/store/index.ts'
import { PostgresDriver } from '../packages/palimpsest/src/store/postgres/driver.ts'
import { lockDocuments } from '../packages/palimpsest/src/store/sql/document-locks.ts'
import { findDocument } from '../packages/palimpsest/src/store/sql/documents.ts'
import { packAllDocuments, shortenKeys } from '../packages/palimpsest/src/store/sql/pack-all.ts'
import { packDays, packMore } from '../packages/palimpsest/src/store/sql/pack-documents.ts'
import { SqlStore } from '../packages/palimpsest/src/store/sql/sql-store.ts'
import { all, type Steps } from '../packages/palimpsest/src/store/sql/steps.ts'
import { unpackingDriver } from '../packages/palimpsest/src/store/sql/unpacking-driver.ts'
import { Chat } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import {
  adding,
  documentKey,
  fact,
  learning,
  replacing,
} from '../packages/palimpsest/src/testing/store-contract/documents.ts'
import { eraseMessages } from '../packages/palimpsest/src/testing/store-contract/erasing-kit.ts'
import { postgresUrl } from './postgres/url.ts'
import { changeRows, postgresPlace, type StorePlace } from './stores.ts'

const places: StorePlace[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove()
})

/** As one whose network is slow just then: some time goes by before such a statement. */
function slowed(before: RegExp, seconds = 1) {
  return class extends PostgresDriver {
    override write<Result>(steps: () => Steps<Result>, options?: { waits?: boolean }): Promise<Result> {
      return super.write(
        function* () {
          const inner = steps()
          let next = inner.next()
          while (!next.done) {
            const asked = next.value as { sql?: string }
            if (before.test(asked.sql ?? '')) yield* all(`SELECT pg_sleep(${seconds})`)
            next = inner.next((yield next.value) as never)
          }
          return next.value
        } as () => Steps<Result>,
        options,
      )
    }
  }
}

/** Waits until that work is in the middle of such a pause, or done without one. */
async function untilPaused(work: Promise<unknown>): Promise<void> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  void work.then(done, done)
  const client = new pg.Client(postgresUrl())
  await client.connect()
  const paused = async () => {
    const { rowCount } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    )
    return isDone || rowCount === 1
  }
  try {
    await expect.poll(paused, { interval: 5 }).toBe(true)
  } finally {
    await client.end()
  }
}

test('an erasure of messages and a writer of a document change one pack, and both hold', async () => {
  const place = postgresPlace()
  places.push(place)
  const store = await place.open()
  const a = new Chat(store, 'a', { scope: 'work' })
  const b = new Chat(store, 'b', { scope: 'work' })
  await a.say(6)
  await b.say(6)
  const key = documentKey('scope', 'work')
  const line = '- the cellar is to be cleared by Friday, said Ann'
  await store.documents.changeDocuments([learning(key, [fact(line, 'a', [3, 3])])])
  await store.documents.changeDocuments([replacing(key, '# Notes\n', { superseded: [line] })])
  for (let n = 0; n < 11; n++)
    await store.documents.changeDocuments([
      adding(key, `- line ${n}, long enough to be worth a place in a pack, is it not`),
    ])
  // The past is packed by now, and with it the line.
  await a.rollback(2)
  await store.documents.changeDocuments([learning(key, [fact(line, 'b', [3, 3])])])
  for (let n = 0; n < 10; n++)
    await store.documents.changeDocuments([replacing(key, `${line}\n${`${n} `.repeat(40)}\n`)])
  const before = (await store.documents.readDocumentVersions(key, { limit: 1000 })).map(
    ({ content }) => content,
  )

  const driver = unpackingDriver(
    new PostgresDriver(postgresUrl(), { schema: place.address.slice('postgres:'.length) }),
  )
  await driver.open()
  // Somebody packs more of it, under its lock, and takes a moment to commit.
  const packing = driver.write(function* () {
    yield* lockDocuments([key], driver.dialect)
    const document = yield* findDocument(key)
    yield* packMore(document!)
    yield* all('SELECT pg_sleep(1)')
  })
  await untilPaused(packing)
  await eraseMessages(a, 3)
  await packing
  await driver.close()
  const after = await store.documents.readDocumentVersions(key, { limit: 1000 }).catch(String)
  await store.close()
  expect(typeof after === 'string' ? after : after.map(({ content }) => content)).toEqual(before)
})

test('a person is forgotten while a day is written that is packed', async () => {
  const place = postgresPlace()
  places.push(place)
  const store = await place.open()
  const schema = place.address.slice('postgres:'.length)
  const chat = new Chat(store, 'chat')
  await chat.say(6)
  const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'].map(day =>
    documentKey('daily', dailyKey(day, 'chat')),
  )
  for (const key of days)
    await store.documents.changeDocuments([
      adding(key, '- a day like any other, with nothing to tell about it'),
    ])
  const driver = unpackingDriver(new PostgresDriver(postgresUrl(), { schema }))
  await driver.open()
  const [session] = await driver.read(() => all<{ id: number }>('SELECT id FROM sessions'))
  await driver.write(() => packDays(session!.id, driver.dialect))
  await driver.close()
  const slow = new SqlStore(
    new (slowed(/^SELECT id, places, octets, data FROM packs WHERE id IN/, 0.5))(postgresUrl(), { schema }),
    () => {},
  )
  await slow.open()
  const now = Date.UTC(2026, 5, 1)
  let record = await slow.erasure.beginErasure('test', { target: { kind: 'person', id: 'bob' }, now })
  const forgetting = (async () => {
    while (record.stage === 'erasing')
      record = await slow.erasure.continueErasure('test', { id: record.id, now })
    return record.stage
  })()
  const writing = (async () => {
    for (let n = 0; n < 8; n++) {
      await new Promise(resolve => setTimeout(resolve, 100))
      await store.documents.changeDocuments([adding(days[0]!, `- line ${n}`)])
    }
  })()
  const told = await forgetting.catch(String)
  await writing
  await slow.close()
  await store.close()
  expect(told).toBe('rebuilding')
})

test('migrate --compact beside the erasure of a document leaves no pack', async () => {
  const place = postgresPlace()
  places.push(place)
  const store = await place.open()
  await changeRows(place, 'UPDATE layout SET is_compact = 0')
  const chat = new Chat(store, 'chat', { user: 'ann' })
  await chat.say(6)
  const key = documentKey('user', 'ann')
  for (let n = 0; n < 20; n++)
    await store.documents.changeDocuments([replacing(key, `zanzibarium ${n} ${`${n} `.repeat(40)}\n`)])
  await changeRows(place, 'UPDATE layout SET is_compact = 1')
  const schema = place.address.slice('postgres:'.length)
  const driver = unpackingDriver(new (slowed(/INSERT INTO packs/))(postgresUrl(), { schema }))
  await driver.open()
  const now = Date.UTC(2026, 5, 1)
  // The document has left its namespace, and its parts are still there.
  let record = await store.erasure.beginErasure('test', { target: { kind: 'person', id: 'ann' }, now })
  for (;;) {
    const [hidden] = await driver.read(() => all(`SELECT id FROM documents WHERE namespace <> 'test'`))
    if (hidden || record.stage !== 'erasing') break
    record = await store.erasure.continueErasure('test', { id: record.id, now })
  }
  const packing = driver.write(() => packAllDocuments(0, driver.dialect))
  await untilPaused(packing)
  while (record.stage === 'erasing')
    record = await store.erasure.continueErasure('test', { id: record.id, now })
  await packing
  const left = await driver.read(() => all('SELECT id, document_id, octets FROM packs'))
  await driver.close()
  await store.close()
  expect(left).toEqual([])
})

test('migrate --compact gives no fact the key of another', async () => {
  const place = postgresPlace()
  places.push(place)
  const store = await place.open()
  await changeRows(place, 'UPDATE layout SET is_compact = 0')
  const chat = new Chat(store, 'chat', { user: 'ann' })
  await chat.say(6)
  const key = documentKey('user', 'ann')
  await store.documents.changeDocuments([learning(key, [fact('- one', 'chat', [1, 1])])])
  await store.documents.changeDocuments([learning(key, [fact('- two', 'chat', [3, 3])])])
  const schema = place.address.slice('postgres:'.length)
  const driver = unpackingDriver(new (slowed(/UPDATE facts SET line_key/))(postgresUrl(), { schema }))
  await driver.open()
  await changeRows(place, 'UPDATE layout SET is_compact = 1')
  const shortening = driver.write(() => shortenKeys({ document: 0, fact: 1 }))
  await untilPaused(shortening)
  await eraseMessages(chat, 3)
  await store.documents.changeDocuments([learning(key, [fact('- three', 'chat', [5, 5])])])
  await shortening
  await driver.close()
  const current = (await store.documents.readFacts(key, 'current')).map(({ line }) => line)
  await store.close()
  expect(current).toEqual(['- one', '- three'])
})
