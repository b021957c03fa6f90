import assert from 'node:assert/strict'
import { inflateRawSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { dailyKey } from '../packages/palimpsest/src/store/index.ts'
import { packDays } from '../packages/palimpsest/src/store/sql/pack-documents.ts'
import { unpackingDriver } from '../packages/palimpsest/src/store/sql/unpacking-driver.ts'
import { SqliteDriver } from '../packages/palimpsest/src/store/sqlite/driver.ts'
import { Chat, segment } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import {
  adding,
  documentKey,
  fact,
  learning,
} from '../packages/palimpsest/src/testing/store-contract/documents.ts'
import { eraseMessages } from '../packages/palimpsest/src/testing/store-contract/erasing-kit.ts'
import { type StorePlace, sqliteBeside, sqlitePlace } from './stores.ts'

/** An erasure leaves nothing of what it erases in a pack. */

const places: StorePlace[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove()
})
function placed() {
  const place = sqlitePlace()
  places.push(place)
  return place
}
function everything(place: StorePlace): string {
  using database = sqliteBeside(place.address, { readOnly: true })
  const told: string[] = []
  for (const { name } of database.prepare(`SELECT name FROM sqlite_schema WHERE type='table'`).all())
    for (const row of database.prepare(`SELECT * FROM ${name}`).all())
      for (const value of Object.values(row)) {
        let text = String(value)
        if (value instanceof Uint8Array) {
          try {
            text = inflateRawSync(value).toString()
          } catch {
            text = Buffer.from(value).toString()
          }
        }
        told.push(`${name}: ${text}`)
      }
  return told.join('\n')
}
async function deep(place: StorePlace) {
  const store = await place.open()
  const results = await store.database.checkUp!({ now: Date.UTC(2026, 5, 1), isDeep: true })
  await store.close()
  return results.filter(({ isWell, what }) => !isWell && /row|packed/.test(what)).map(({ says }) => says)
}

test('a segment that waits to be made anew since another one does leaves nothing in a pack', async () => {
  const place = placed()
  const store = await place.open()
  const chat = new Chat(store)
  await chat.say(8)
  await chat.fold(2)
  await chat.fold(4)
  await eraseMessages(chat, 1)
  // A fold between the erasure and the making anew: what it says tells of message 5, too.
  const shown = await store.folds.readSegments(chat.key, 'shown')
  const commit = await chat.prepareFold(6)
  const higher = {
    ...segment(shown[0]!.fromSeq, 6, 5, { level: 2 }),
    text: `## Messages 1-6: zanzibarium was said in message 5, among others`,
  }
  await chat.commit({
    ...commit,
    segments: [...commit.segments, { ...higher, absorbs: [...shown.map(({ id }) => id), -1] }],
  })
  for (;;) {
    const [withheld] = await store.rebuilds.listWithheld('test', { left: 'nothing', limit: 1 })
    if (!withheld) break
    const { epoch } = (await store.sessions.readSession(chat.key))!
    assert.ok(
      await store.rebuilds.commitRebuilt(chat.key, {
        id: withheld.segment.id,
        expectedEpoch: epoch,
        summary: 'made anew',
        events: [],
        details: [],
        text: `## made anew`,
        messageCount: 1,
        summarizer: 'again',
        promptVersion: '2',
        tokensBefore: 3,
        tokensAfter: 2,
        isProper: true,
      }),
    )
  }
  await eraseMessages(chat, 5)
  await store.close()
  expect(await deep(place)).toEqual([])
  expect(
    everything(place)
      .split('\n')
      .filter(line => line.includes('zanzibarium')),
  ).toEqual([])
})

test('a day that is packed between two slices of an erasure leaves nothing in a pack after the next', async () => {
  const place = placed()
  const store = await place.open()
  const chat = new Chat(store)
  await chat.say(8)
  const key = documentKey('daily', dailyKey('2026-01-01', 'chat'))
  for (const day of ['2026-01-02', '2026-01-03', '2026-01-04'])
    await store.documents.changeDocuments([
      adding(
        documentKey('daily', dailyKey(day, 'chat')),
        '- a day like any other, with nothing to tell about it',
      ),
    ])
  await store.documents.changeDocuments([
    learning(key, [fact('- the secret of message three, long enough to be packed', 'chat', [3, 3])]),
    learning(key, [fact('- the secret of message seven, long enough to be packed', 'chat', [7, 7])]),
    learning(key, [fact('- zanzibarium, the secret of message five, long enough', 'chat', [5, 5])]),
  ])
  for (let n = 0; n < 230; n++) await store.documents.changeDocuments([adding(key, `- line ${n}`)])
  const driver = unpackingDriver(new SqliteDriver(place.address.slice(7), {}))
  await driver.open()
  const packAll = () => driver.write(() => packDays(1, driver.dialect))
  // Whatever folds meanwhile packs days that are over.
  const now = Date.UTC(2026, 5, 1)
  for (const seq of [3, 7]) {
    let record = await store.erasure.beginErasure('test', {
      target: { kind: 'messages', sessionId: 'chat', seqs: [seq] },
      now,
    })
    while (record.stage === 'erasing') {
      using database = sqliteBeside(place.address, { readOnly: true })
      const day = database
        .prepare(`SELECT packed_through, content FROM documents WHERE day = '2026-01-01'`)
        .get()!
      // Once this was so nobody folds any more.
      if (!(day['packed_through'] === 0 && String(day['content']).startsWith('packed '))) await packAll()
      record = await store.erasure.continueErasure('test', { id: record.id, now })
    }
  }
  await eraseMessages(chat, 5)
  await driver.close()
  await store.close()
  expect(await deep(place)).toEqual([])
  expect(
    everything(place)
      .split('\n')
      .filter(line => line.includes('zanzibarium'))
      .map(l => l.slice(0, 80)),
  ).toEqual([])
})

test('lines that differ only in half a character are two', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  const chat = new Chat(store, 'a', { user: 'ann' })
  await chat.say(8)
  const key = documentKey('user', 'ann')
  await store.documents.changeDocuments([
    learning(key, [fact('- likes \ud83c tea', 'a', [1, 1]), fact('- likes \ud83d tea', 'a', [5, 5])]),
  ])
  await eraseMessages(chat, 1)
  const lines = (await store.documents.readFacts(key, 'all')).map(({ line }) => line)
  await store.close()
  await place.remove()
  expect(lines).toEqual(['- likes \ud83d tea'])
})
