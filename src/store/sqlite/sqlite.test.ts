import { describe, test } from 'vitest'
import { sqlitePlace } from '../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'

describe('SQLite keeps the contract of stores', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = sqlitePlace()
    try {
      await run(() => place.open())
    } finally {
      await place.remove()
    }
  })
})
