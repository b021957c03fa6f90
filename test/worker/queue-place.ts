import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Store } from '../../src/store/index.ts'
import { type FoldPolicy, openBoss, type QueuePlace } from '../../src/store/postgres/boss.ts'
import { postgres } from '../../src/store/postgres/index.ts'

/** A job of the queue, as its table has it. */
interface JobRow {
  readonly id: string
  readonly name: string
  readonly state: 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed'
  readonly session: string
  readonly namespace: string
  readonly tries: number
}

export interface TestPlace extends QueuePlace, AsyncDisposable {
  open(): Promise<Store>
  query<Row>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Of folds, oldest first; those that are done too. */
  jobs(): Promise<readonly JobRow[]>
  /** Those that wait, are to be tried again or are under way. */
  openJobs(): Promise<readonly JobRow[]>
}

/** A schema of its own with a queue of its own, in the tests' PostgreSQL; with other retries, where that is asked. */
export async function queuePlace(policy?: Partial<FoldPolicy>): Promise<TestPlace> {
  const url = inject('postgresUrl')
  const schema = `queue_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const query = async <Row>(sql: string, values: readonly unknown[] = []) =>
    (await pool.query(sql, [...values])).rows as Row[]
  const jobs = () =>
    query<JobRow>(
      `SELECT id, name, state::text AS state, data->>'id' AS session, data->>'namespace' AS namespace,
         retry_count AS tries
       FROM ${schema}_jobs.job WHERE name = 'folds' ORDER BY created_on`,
    )
  const place = { url, schema }
  // Whoever makes the queue says how it is; those who come later find it so.
  if (policy) await (await openBoss(place, 'sender', policy)).stop({ graceful: false })
  return {
    ...place,
    query,
    jobs,
    openJobs: async () =>
      (await jobs()).filter(({ state }) => ['created', 'retry', 'active'].includes(state)),
    open: async () => {
      const store = postgres(url, { schema, connections: 4, queue: true })
      await store.open()
      return store
    },
    [Symbol.asyncDispose]: async () => {
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await pool.query(`DROP SCHEMA IF EXISTS ${schema}_jobs CASCADE`)
      await pool.end()
    },
  }
}
