import type { Store, Warn } from '../../packages/palimpsest/src/store/index.ts'
import { postgresPlace, type StorePlace } from '../stores.ts'
import { postgresUrl } from './url.ts'

/**
 * Schemas that are used one after the other, each emptied in between: to make one anew takes ten times as long. For
 * tests that come to a store by its own methods alone, and so leave the tables themselves as they are.
 */
export class EmptiedPlaces {
  readonly #all: StorePlace[] = []
  readonly #free: StorePlace[] = []

  /** An empty store, for nobody else until `remove`. */
  take(): StorePlace {
    const place = this.#free.pop() ?? this.#new()
    return {
      address: place.address,
      open: (options?: { warn?: Warn }): Promise<Store> => place.open(options),
      remove: async () => {
        await empty(place)
        this.#free.push(place)
      },
    }
  }

  #new(): StorePlace {
    const place = postgresPlace()
    this.#all.push(place)
    return place
  }

  async remove(): Promise<void> {
    for (const place of this.#all) await place.remove()
  }
}

async function empty(place: StorePlace): Promise<void> {
  const schema = place.address.slice('postgres:'.length)
  const { default: pg } = await import('pg')
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('migrations', 'identity', 'layout')`,
      [schema],
    )
    const sequences = await client.query<{ name: string }>(
      'SELECT sequencename AS name FROM pg_sequences WHERE schemaname = $1',
      [schema],
    )
    await client.query(
      [
        // Whatever refers to what, all of it goes.
        'SET session_replication_role = replica',
        ...tables.rows.map(({ name }) => `DELETE FROM ${schema}.${name}`),
        `INSERT INTO ${schema}.event_trim (row) VALUES (1)`,
        ...sequences.rows.map(({ name }) => `ALTER SEQUENCE ${schema}.${name} RESTART`),
      ].join(';'),
    )
  } finally {
    await client.end()
  }
}
