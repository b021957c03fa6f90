import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { dropDatabase } from '../postgres/drop-database.ts'
import { postgresUrl } from '../postgres/url.ts'
import { temporaryFolder } from './run.ts'

/** A database as the command line is given it, in neither of which there is anything. */
export interface Database {
  /** `sqlite:FILE` or `postgres://…` */
  readonly address: string
  readonly flags: readonly string[]
  use<Result>(work: (store: Store) => Promise<Result>): Promise<Result>
  remove(): Promise<void>
}

export function sqliteDatabase(): Database {
  const folder = temporaryFolder()
  const file = `${folder.path}/palimpsest.db`
  return {
    address: `sqlite:${file}`,
    flags: ['--db', file],
    use: work => using(sqlite(file, { durability: 'normal' }), work),
    remove: async () => folder.remove(),
  }
}

export async function postgresDatabase(): Promise<Database> {
  const admin = postgresUrl()
  const name = `db_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  await inPostgres(admin, `CREATE DATABASE ${name}`)
  const url = postgresUrl(name)
  return {
    address: url,
    flags: ['--store', url],
    use: work => using(postgres(url, { connections: 2 }), work),
    remove: () => dropDatabase(name),
  }
}

export const DATABASES = { SQLite: async () => sqliteDatabase(), PostgreSQL: postgresDatabase } as const

export async function inPostgres(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function using<Result>(store: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  await store.open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
