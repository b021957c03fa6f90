import { afterAll, describe, expect, test } from 'vitest'
import { recording, Statements } from '../../../../../test/postgres/recording-driver.ts'
import { planFaults } from '../../../../../test/sqlite/plan-faults.ts'
import { sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { warnOnStderr } from '../store.ts'
import { SqliteDriver } from './driver.ts'

const statements = new Statements()
const lasting = sqlitePlace()

afterAll(() => lasting.remove())

async function open(address: string): Promise<SqlStore> {
  const driver = new SqliteDriver(address.slice('sqlite:'.length), { durability: 'normal' })
  const store = new SqlStore(recording(driver, statements), warnOnStderr)
  await store.open()
  return store
}

describe('SQLite keeps the contract of stores', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = sqlitePlace()
    try {
      await run(() => open(place.address))
    } finally {
      await place.remove()
    }
  })
})

/** Whatever a store can be asked for is in its contract, so no statement is missed. */
test('no statement of the contract reads all that a session or document ever had', async () => {
  await (await open(lasting.address)).close()
  const database = sqliteBeside(lasting.address, { readOnly: true })
  expect(planFaults(database, statements.all)).toEqual([])
  database.close()
})
