import { expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  PalimpsestError,
  rounds,
  StoreError,
} from '../../packages/palimpsest/src/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { postgresUrl } from '../postgres/url.ts'
import { stride } from '../runs.ts'
import { PLACES } from '../stores.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

/** Two appends, one of them of several messages; each is tried again until it succeeds. */
async function converse(store: SqlStore, reader: Palimpsest): Promise<number> {
  const policy = rounds({ fullContextTurns: 1, cachedContextTurns: 1 })
  await using palimpsest = await createPalimpsest({ store, policy, folding: 'manual', indexing: 'off' })
  const chat = palimpsest.session('chat')
  const stored = reader.session('chat')
  let failures = 0
  const appends = [
    [{ role: 'user', content: 'one', externalId: '1', sender: 'ann' }],
    [
      { role: 'assistant', content: 'two', externalId: '2' },
      { role: 'user', content: 'three', externalId: '3', sender: 'bob' },
      { role: 'assistant', content: 'four', externalId: '4' },
    ],
  ] as const
  for (const messages of appends)
    for (let done = false; !done; )
      try {
        await chat.append(messages)
        done = true
      } catch (error) {
        expect(PalimpsestError.isInstance(error)).toBe(true)
        failures += 1
        // Wholly there or wholly not.
        expect(await stored.count()).toBeOneOf([0, 1, 4])
      }
  expect((await stored.messages()).map(message => [message.seq, message.content])).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, 'three'],
    [4, 'four'],
  ])
  expect((await stored.info())?.pending).toBe(true)
  return failures
}

test.each(Object.entries(PLACES))(
  '%s: whichever call fails, nothing is lost and a retry converges',
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
      const reader = await createPalimpsest({ store: await here.open(), folding: 'manual', indexing: 'off' })
      failures = await converse(new SqlStore(driver, () => {}), reader)
      await reader.close()
      expect(failures).toBeLessThanOrEqual(1)
      expect(failAt).toBeLessThan(100)
      await here.remove()
    }
  },
)
