import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Store } from '../../src/store/index.ts'
import type { QueuePlace } from '../../src/store/postgres/boss.ts'
import { postgres } from '../../src/store/postgres/index.ts'

/** A schema of its own with a queue of its own, in the tests' PostgreSQL. */
export async function queuePlace(): Promise<QueuePlace & { open(): Promise<Store> } & AsyncDisposable> {
  const url = inject('postgresUrl')
  const schema = `queue_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  return {
    url,
    schema,
    open: async () => {
      const store = postgres(url, { schema, connections: 4, queue: true })
      await store.open()
      return store
    },
    [Symbol.asyncDispose]: async () => {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await client.query(`DROP SCHEMA IF EXISTS ${schema}_jobs CASCADE`)
      await client.end()
    },
  }
}
