import { PostgresDriver } from '../../packages/palimpsest/src/store/postgres/driver.ts'
import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import { SqliteDriver } from '../../packages/palimpsest/src/store/sqlite/driver.ts'

/** The driver for an address as `test/stores.ts` gives it, in this process or another. */
export function driverFor(address: string, postgresUrl: string): Driver {
  const [kind, ...rest] = address.split(':')
  const place = rest.join(':')
  if (kind === 'sqlite') return new SqliteDriver(place, { durability: 'full' })
  return new PostgresDriver(postgresUrl, { schema: place, connections: 2 })
}

/** A real driver that does something else before each of its transactions that write. */
export function interrupted(driver: Driver, before: (write: number) => Promise<void>): Driver {
  let writes = 0
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(steps),
    scrub: () => driver.scrub(),
    write: async steps => {
      await before(++writes)
      return driver.write(steps)
    },
  }
}
