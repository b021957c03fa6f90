import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import {
  type FoldPolicy,
  openBoss,
  type QueuePlace,
} from '../../packages/palimpsest/src/store/postgres/boss.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { DEFAULT_SCHEMA } from '../../packages/palimpsest/src/store/postgres/schema-name.ts'
import { dropDatabase } from '../postgres/drop-database.ts'
import { postgresUrl } from '../postgres/url.ts'

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
  /** Of a queue, by default that of folds, oldest first; those that are done too. */
  jobs(name?: string): Promise<readonly JobRow[]>
  /** Those that wait, are to be tried again or are under way. */
  openJobs(): Promise<readonly JobRow[]>
}

/** A schema of its own with a queue of its own, in the tests' PostgreSQL; with other retries, where that is asked. */
export async function queuePlace(policy?: Partial<FoldPolicy>): Promise<TestPlace> {
  const schema = `queue_${randomName()}`
  return placeIn({ url: postgresUrl(), schema }, policy, async query => {
    await query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await query(`DROP SCHEMA IF EXISTS ${schema}_jobs CASCADE`)
  })
}

/** A database of its own, for programs that can be told no schema. */
export async function databasePlace(policy?: Partial<FoldPolicy>): Promise<TestPlace> {
  const name = `queue_${randomName()}`
  const administer = async (sql: string) => {
    const client = new pg.Client(postgresUrl())
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await administer(`CREATE DATABASE ${name}`)
  const url = postgresUrl(name)
  const place = await placeIn({ url, schema: DEFAULT_SCHEMA }, policy, async () => {})
  return {
    ...place,
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]()
      await dropDatabase(name)
    },
  }
}

async function placeIn(
  place: QueuePlace,
  policy: Partial<FoldPolicy> | undefined,
  remove: (query: (sql: string) => Promise<unknown>) => Promise<void>,
): Promise<TestPlace> {
  const { url, schema } = place
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // The database may go before the connection has ended.
  pool.on('connect', client => client.on('error', () => {}))
  const query = async <Row>(sql: string, values: readonly unknown[] = []) =>
    (await pool.query(sql, [...values])).rows as Row[]
  const jobs = (name = 'folds') =>
    query<JobRow>(
      `SELECT id, name, state::text AS state, data->>'id' AS session, data->>'namespace' AS namespace,
         retry_count AS tries
       FROM ${schema}_jobs.job WHERE name = $1 ORDER BY created_on`,
      [name],
    )
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
      await remove(query)
      await pool.end()
    },
  }
}

function randomName(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16)
}
