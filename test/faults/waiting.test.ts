import { expect, test } from 'vitest'
import { PalimpsestError, StoreError } from '../../packages/palimpsest/src/index.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { Chat, message } from '../../packages/palimpsest/src/testing/store-contract/chat.ts'
import { postgresUrl } from '../postgres/url.ts'
import { stride } from '../runs.ts'
import { PLACES } from '../stores.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

/** What is in the log, and what waits: `[seq]` for an answer, `[seq, reply]` for its delivery. */
async function owedIn(store: Store): Promise<string> {
  const seqs = await new Chat(store).seqs()
  const waiting = await store.inbox.readWaiting('test', { limit: 9 })
  return JSON.stringify([seqs, waiting.map(({ seq, reply }) => (reply === null ? [seq] : [seq, reply]))])
}

const AWAITS = { burst: 'ann', address: { chat: 7 } }

/** Each is asked for again until it succeeds: how it is before, how afterwards. */
const CALLS: readonly { call: (chat: Chat) => Promise<unknown>; before: string; after: string }[] = [
  {
    call: chat => chat.ask(AWAITS, message('one', { externalId: '1' }), message('two', { externalId: '2' })),
    before: '[[],[]]',
    after: '[[1,2],[[1],[2]]]',
  },
  {
    call: chat => chat.answer({ seqs: [1, 2] }, message('three', { role: 'assistant', externalId: '3' })),
    before: '[[1,2],[[1],[2]]]',
    after: '[[1,2,3],[[1,[3]]]]',
  },
  {
    call: chat => chat.store.inbox.settleWaiting(chat.key, [1]),
    before: '[[1,2,3],[[1,[3]]]]',
    after: '[[1,2,3],[]]',
  },
]

async function converse(store: Store, reader: Store): Promise<number> {
  let failures = 0
  const chat = new Chat(store)
  for (const { call, before, after } of CALLS) {
    for (let done = false; !done; )
      try {
        await call(chat)
        done = true
      } catch (error) {
        expect(PalimpsestError.isInstance(error)).toBe(true)
        failures += 1
        expect(await owedIn(reader)).toBeOneOf([before, after])
      }
    expect(await owedIn(reader)).toBe(after)
  }
  return failures
}

test.each(Object.entries(PLACES))(
  '%s: whichever call fails, what is owed is as the log is, and a retry converges',
  async (name, place) => {
    // What one store leaves out the other has.
    const first = name === 'SQLite' ? 1 : stride(2, 1)
    for (let failAt = first, failures = 1; failures > 0; failAt += stride(3, 1)) {
      const here = place()
      let armed = true
      const driver = faultyDriver(driverFor(here.address, postgresUrl()), step => {
        if (armed && step === failAt) {
          armed = false
          throw new StoreError('store_full', 'test', 'the disk is full')
        }
      })
      const store = new SqlStore(driver, () => {})
      const reader = await here.open()
      await store.open()
      failures = await converse(store, reader)
      await store.close()
      await reader.close()
      await here.remove()
      expect(failures).toBeLessThanOrEqual(1)
      expect(failAt).toBeLessThan(100)
    }
  },
)
