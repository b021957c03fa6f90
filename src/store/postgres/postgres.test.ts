import { describe, test } from 'vitest'
import { postgresPlace } from '../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'

describe.concurrent('PostgreSQL keeps the contract of stores', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = postgresPlace()
    try {
      await run(() => place.open())
    } finally {
      await place.remove()
    }
  })
})
