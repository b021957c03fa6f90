import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { driverFor } from '../../../../../test/faults/drivers.ts'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { PLACES } from '../../../../../test/stores.ts'
import { createPalimpsest, type Palimpsest } from '../../index.ts'
import type { Driver } from './driver.ts'
import { SqlStore } from './sql-store.ts'

function counted(driver: Driver, onWrite: () => void): Driver {
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(steps),
    write: steps => {
      onWrite()
      return driver.write(steps)
    },
    scrub: onScrub => driver.scrub(onScrub),
  }
}

describe.each(Object.entries(PLACES))('%s', (_, placeOf) => {
  const place = placeOf()
  let commits = 0
  let palimpsest: Palimpsest

  beforeAll(async () => {
    const store = new SqlStore(
      counted(driverFor(place.address, postgresUrl()), () => {
        commits += 1
      }),
      () => {},
    )
    palimpsest = await createPalimpsest({ store, indexing: 'off' })
  })

  afterAll(async () => {
    await palimpsest.close()
    await place.remove()
  })

  test('appends that arrive together share one commit', async () => {
    commits = 0
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        palimpsest.session(`s${index % 4}`).append({ role: 'user', content: `message ${index}` }),
      ),
    )
    // All in one, or in few where a slow machine cuts a long transaction off.
    expect(commits).toBeLessThan(8)
  })

  test('one that is refused fails alone, and leaves nothing behind', async () => {
    const chat = palimpsest.session('conflict')
    await chat.append({ role: 'user', content: 'first', externalId: '1' })
    const results = await Promise.allSettled([
      chat.append({ role: 'user', content: 'before' }),
      chat.append([
        { role: 'user', content: 'would be new' },
        { role: 'user', content: 'other', externalId: '1' },
      ]),
      palimpsest.session('other').append({ role: 'user', content: 'elsewhere' }),
      chat.append({ role: 'user', content: 'after' }),
    ])
    expect(results.map(result => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect((await chat.messages()).map(message => message.content)).toEqual(['first', 'before', 'after'])
  })
})
