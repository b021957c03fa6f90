import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runAtOnce } from '../slices.ts'
import type { IndexWrite, SearchStore } from '../store/index.ts'
import { Indexer } from './indexer.ts'
import { listTerms, placesIn } from './term-places.ts'

const KEY = { namespace: 'default', id: 'a' }

/** As much of a store as an indexer sees, with transactions that take so long. */
function slowStore(transactionMs: number) {
  let left = 0
  let transactions = 0
  const message = { seq: 1, role: 'user' as const, senderId: null, at: 0, content: 'hello there' }
  const search = {
    readIndexWork: async () => (left-- > 0 ? { messages: [message], edited: [] } : null),
    writeIndex: async () => {
      transactions += 1
      await setTimeout(transactionMs)
      return true
    },
    listUnindexed: async () => ({ keys: [KEY], next: null }),
  }
  return {
    indexer: new Indexer({
      store: { search: search as unknown as SearchStore },
      namespace: 'default',
      onError: () => {},
    }),
    append: (indexer: Indexer) => {
      left = Math.max(1, left + 1)
      indexer.note(KEY)
    },
    transactions: () => transactions,
  }
}

test.each(['close', 'settled'] as const)('%s() waits for no rest', async call => {
  const { indexer, append, transactions } = slowStore(2_000)
  append(indexer)
  await expect.poll(transactions).toBe(1)
  // Somebody appends during the transaction; so it rests after it, for four times as long.
  indexer.note(KEY)
  await setTimeout(2_200)
  const begin = performance.now()
  await indexer[call]()
  expect(performance.now() - begin).toBeLessThan(6_000)
  await indexer.close()
})

test('it rests while somebody appends, also after a start that found something', async () => {
  const { indexer, append, transactions } = slowStore(20)
  append(indexer)
  indexer.start()
  const end = performance.now() + 1_500
  while (performance.now() < end) {
    append(indexer)
    await setTimeout(5)
  }
  await indexer.close()
  // Without rests some sixty.
  expect(transactions()).toBeGreaterThan(0)
  expect(transactions()).toBeLessThan(30)
})

/** A store with one long message to be indexed, that keeps what is written of it. */
function bookStore(content: string) {
  const writes: IndexWrite[] = []
  const message = { seq: 1, role: 'user' as const, senderId: null, at: 0, content }
  const edited = [{ ...message, seq: 2, content: 'short', earlier: [content] }]
  const work = { epoch: 1, indexedThrough: 0, through: 1, messages: [message], edited }
  const search = {
    readIndexWork: async () => (writes.at(-1)?.finish ? null : work),
    writeIndex: async (_: unknown, write: IndexWrite) => writes.push(write) > 0,
    listUnindexed: async () => ({ keys: [], next: null }),
  }
  const errors: unknown[] = []
  const indexer = new Indexer({
    store: { search: search as unknown as SearchStore },
    namespace: 'default',
    onError: error => errors.push(error),
  })
  return { indexer, writes, errors, work }
}

test('of a book the same is written, in order, as of a short text', async () => {
  const words = Array.from({ length: 40_000 }, (_, word) => `w${((word * 7_919) % 40_000).toString(36)}q`)
  const text = `${words.join(' ')} w0q again?`
  expect(text.length).toBeGreaterThan(200_000)
  const { indexer, writes, errors, work } = bookStore(text)
  indexer.note(KEY)
  await indexer.settled()
  await indexer.close()
  expect(errors).toEqual([])
  const { terms, finished } = runAtOnce(placesIn(work))
  expect(writes.flatMap(({ terms }) => [...terms])).toEqual(listTerms(terms))
  expect(writes.at(-1)!.finish).toEqual({ messages: finished, edited: [2] })
  expect(writes.slice(0, -1).every(({ terms, finish }) => terms.size === 250 && !finish)).toBe(true)
  const places = new Map(writes.flatMap(({ terms }) => [...terms]))
  expect(places.get('w0q')).toEqual([
    [2, 0],
    [1, 2],
  ])
})

test('close() does not wait for the words of a book', async () => {
  const { indexer, writes } = bookStore('harbour café '.repeat(1_500_000))
  indexer.note(KEY)
  await setTimeout(300)
  const begin = performance.now()
  await indexer.close()
  expect(performance.now() - begin).toBeLessThan(4_000)
  expect(writes).toEqual([])
})
