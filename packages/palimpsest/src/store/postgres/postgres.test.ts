import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { checkPlans } from '../../../../../test/postgres/check-plans.ts'
import { EmptiedPlaces } from '../../../../../test/postgres/emptied-places.ts'
import { fillSchema } from '../../../../../test/postgres/fill-schema.ts'
import { recording, Statements } from '../../../../../test/postgres/recording-driver.ts'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace } from '../../../../../test/stores.ts'
import { storeContract } from '../../testing/index.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { warnOnStderr } from '../store.ts'
import { PostgresDriver } from './driver.ts'

const places = new EmptiedPlaces()
const statements = new Statements()

afterAll(() => places.remove())

async function open(address: string): Promise<SqlStore> {
  const driver = new PostgresDriver(postgresUrl(), { schema: schemaOf(address), connections: 4 })
  const store = new SqlStore(recording(driver, statements), warnOnStderr)
  await store.open()
  return store
}

function schemaOf(address: string): string {
  return address.slice('postgres:'.length)
}

describe.concurrent('PostgreSQL keeps the contract of stores', () => {
  test.for(storeContract)('$name', async ({ run }) => {
    const place = places.take()
    try {
      await run(() => open(place.address))
    } finally {
      await place.remove()
    }
  })
})

/** Whatever a store can be asked for is in its contract, so no statement is missed: of those that grow, none is slow. */
test('no statement of the contract reads a whole table or sorts a whole namespace', async () => {
  const place = postgresPlace()
  await (await place.open()).close()
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    await fillSchema(client, schemaOf(place.address))
    expect(await checkPlans(client, statements.all)).toEqual([])
  } finally {
    await client.end()
    await place.remove()
  }
})
