import { PostgresDriver } from '../../src/store/postgres/driver.ts'
import type { Driver } from '../../src/store/sql/driver.ts'
import { SqliteDriver } from '../../src/store/sqlite/driver.ts'

/** The driver for an address as `test/stores.ts` gives it, in this process or another. */
export function driverFor(address: string, postgresUrl: string): Driver {
  const [kind, ...rest] = address.split(':')
  const place = rest.join(':')
  if (kind === 'sqlite') return new SqliteDriver(place, { durability: 'full' })
  return new PostgresDriver(postgresUrl, { schema: place, connections: 2 })
}
