import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Store } from '../store/index.ts'
import { Indexer } from './indexer.ts'

const KEY = { namespace: 'default', id: 'a' }

/** As much of a store as an indexer sees, with transactions that take so long. */
function slowStore(transactionMs: number) {
  let left = 0
  let transactions = 0
  const message = { seq: 1, role: 'user' as const, senderId: null, at: 0, content: 'hello there' }
  const store = {
    readIndexWork: async () => (left-- > 0 ? { messages: [message], edited: [] } : null),
    writeIndex: async () => {
      transactions += 1
      await setTimeout(transactionMs)
      return true
    },
    listUnindexed: async () => ({ keys: [KEY], next: null }),
  }
  return {
    indexer: new Indexer({ store: store as unknown as Store, namespace: 'default', onError: () => {} }),
    append: (indexer: Indexer) => {
      left = Math.max(1, left + 1)
      indexer.note(KEY)
    },
    transactions: () => transactions,
  }
}

test.each(['close', 'settled'] as const)('%s() waits for no rest', async call => {
  const { indexer, append, transactions } = slowStore(1_000)
  append(indexer)
  await expect.poll(transactions).toBe(1)
  // Somebody appends during the transaction; so it rests after it, for four times as long.
  indexer.note(KEY)
  await setTimeout(1_100)
  const begin = performance.now()
  await indexer[call]()
  expect(performance.now() - begin).toBeLessThan(2_000)
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
