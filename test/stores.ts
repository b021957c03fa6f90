import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store, Warn } from '../packages/palimpsest/src/store/index.ts'
import { postgres } from '../packages/palimpsest/src/store/postgres/index.ts'
import { sqlite } from '../packages/palimpsest/src/store/sqlite/index.ts'
import { query, takeSpareSchema } from './postgres/spare-schemas.ts'
import { postgresUrl } from './postgres/url.ts'
import { copyTemplate } from './sqlite-template.ts'

/** A new, empty place for a store, and a way to open it any number of times. */
export interface StorePlace {
  /** What another process needs to open the same store: `sqlite:FILE` or `postgres:SCHEMA`. */
  readonly address: string
  open(options?: { warn?: Warn }): Promise<Store>
  remove(): Promise<void>
}

export function sqlitePlace(): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'))
  const file = join(folder, 'test.db')
  return {
    address: `sqlite:${file}`,
    open: async options => {
      copyTemplate(file)
      const store = sqlite(file, { durability: 'normal', ...options })
      await store.open()
      return store
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * A connection of one's own to a file that others use. It waits for them: whoever opens a file after a
 * kill puts its log in order first, and until then even a reader finds it locked.
 */
export function sqliteBeside(address: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(address.replace(/^sqlite:/, ''), { timeout: 10_000, ...options })
}

export function postgresPlace(): StorePlace {
  const url = postgresUrl()
  const schema = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  let made: Promise<void> | null = null
  return {
    address: `postgres:${schema}`,
    open: async options => {
      made ??= takeSpareSchema(schema)
      await made
      const store = postgres(url, { schema, connections: 4, ...options })
      await store.open()
      return store
    },
    remove: () => query(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`),
  }
}

/** Changes rows as no program of ours would: what an earlier version, or a wrong clock, may have left. */
export async function changeRows(place: StorePlace, sql: string): Promise<void> {
  if (place.address.startsWith('sqlite:')) {
    const database = sqliteBeside(place.address)
    database.exec(sql)
    database.close()
    return
  }
  const { default: pg } = await import('pg')
  const client = new pg.Client(postgresUrl())
  await client.connect()
  await client.query(`SET search_path TO ${place.address.slice('postgres:'.length)}`)
  await client.query(sql)
  await client.end()
}

export const PLACES = { SQLite: sqlitePlace, PostgreSQL: postgresPlace } as const
