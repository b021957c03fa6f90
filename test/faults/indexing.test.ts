import { expect, test } from 'vitest'
import { StoreError } from '../../packages/palimpsest/src/errors.ts'
import { Indexer } from '../../packages/palimpsest/src/finding/index.ts'
import { createPalimpsest } from '../../packages/palimpsest/src/index.ts'
import { type PostingsRow, unpackPostings } from '../../packages/palimpsest/src/store/sql/postings.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { stride } from '../runs.ts'
import { type StorePlace, sqliteBeside, sqlitePlace } from '../stores.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

const KEY = { namespace: 'default', id: 'chat' }

/** More terms than one transaction takes, an edit of what is indexed and one of what is not. */
async function prepare(place: StorePlace): Promise<void> {
  const store = await place.open()
  const palimpsest = await createPalimpsest({ store, folding: 'manual', indexing: 'off' })
  const chat = palimpsest.session('chat')
  // The index holds the minute.
  const at = new Date('2026-01-15T08:00:00Z')
  const text = (index: number) =>
    Array.from({ length: 20 }, (_, word) => `word${(index * 7 + word * 13) % 400}`).join(' ')
  await chat.append(
    Array.from({ length: 30 }, (_, index) => ({ role: 'user' as const, content: text(index), at })),
  )
  const indexer = new Indexer({ store, namespace: 'default', onError: fail })
  indexer.note(KEY)
  await indexer.settled()
  await chat.edit(5, 'now it says something else')
  await chat.append(
    Array.from({ length: 40 }, (_, index) => ({ role: 'user' as const, content: text(index + 30), at })),
  )
  await chat.edit(35, 'another word')
  await palimpsest.close()
}

function fail(error: unknown): never {
  throw error
}

/** By term, where it stands: whatever the rows look like. */
function indexOf(place: StorePlace): ReadonlyMap<string, unknown> {
  const database = sqliteBeside(place.address, { readOnly: true })
  const rows = database
    .prepare('SELECT term, first_seq AS first, data FROM postings ORDER BY term, first_seq')
    .all()
  const blocks = database.prepare('SELECT block, data FROM index_blocks').all()
  const through = database.prepare('SELECT indexed_through FROM sessions').all()
  const changes = database.prepare('SELECT seq FROM index_changes').all()
  database.close()
  const terms = [...Map.groupBy(rows as unknown as (PostingsRow & { term: string })[], row => row.term)].map(
    ([term, ofTerm]) => [term, unpackPostings(ofTerm)] as const,
  )
  return new Map<string, unknown>([
    ...terms,
    ['(blocks)', blocks],
    ['(cursor)', through],
    ['(changes)', changes],
  ])
}

test('an indexer that dies at any step leaves an index that the next one completes', async () => {
  const reference = sqlitePlace()
  await prepare(reference)
  const store = await reference.open()
  const indexer = new Indexer({ store, namespace: 'default', onError: fail })
  indexer.note(KEY)
  await indexer.settled()
  await store.close()
  const expected = indexOf(reference)
  expect(expected.get('(changes)')).toEqual([])

  let steps = Number.POSITIVE_INFINITY
  for (let dieAt = 1; dieAt <= steps; dieAt += dieAt < 40 ? stride(3, 1) : stride(21, 7)) {
    const place = sqlitePlace()
    await prepare(place)
    let taken = 0
    const driver = faultyDriver(driverFor(place.address, ''), () => {
      taken += 1
      if (taken === dieAt) throw new StoreError('store_full', 'test', 'dies here')
    })
    const dying = new SqlStore(driver, () => {})
    await dying.open()
    const first = new Indexer({ store: dying, namespace: 'default', onError: () => {} })
    first.note(KEY)
    await first.settled()
    await dying.close()
    if (taken < dieAt) steps = taken
    const store = await place.open()
    const second = new Indexer({ store, namespace: 'default', onError: fail })
    second.note(KEY)
    await second.settled()
    await store.close()
    expect(indexOf(place), `died at ${dieAt}`).toEqual(expected)
    await place.remove()
  }
  expect(steps).toBeGreaterThan(20)
  await reference.remove()
}, 240_000)

test('several indexers of one session do no harm', async () => {
  const [reference, place] = [sqlitePlace(), sqlitePlace()]
  for (const each of [reference, place]) await prepare(each)
  for (const [each, count] of [
    [reference, 1],
    [place, 4],
  ] as const) {
    const stores = await Promise.all(Array.from({ length: count }, () => each.open()))
    await Promise.all(
      stores.map(async store => {
        const indexer = new Indexer({ store, namespace: 'default', onError: fail })
        indexer.note(KEY)
        await indexer.settled()
        await store.close()
      }),
    )
  }
  expect(indexOf(place)).toEqual(indexOf(reference))
  for (const each of [reference, place]) await each.remove()
}, 60_000)
