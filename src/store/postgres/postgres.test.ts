import { afterAll, describe, test } from 'vitest'
import { EmptiedPlaces } from '../../../test/postgres/emptied-places.ts'
import { storeContract } from '../../testing/index.ts'

const places = new EmptiedPlaces()

afterAll(() => places.remove())

describe.concurrent('PostgreSQL keeps the contract of stores', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = places.take()
    try {
      await run(() => place.open())
    } finally {
      await place.remove()
    }
  })
})
