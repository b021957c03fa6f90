import type { ClientBase } from 'pg'
import { StoreError } from '../../errors.ts'
import { readMigrations, type SchemaVersions } from '../migrations.ts'
import { isTransient } from './errors.ts'
import { dropTimeouts } from './timeouts.ts'

export const MIGRATIONS = new URL('./migrations/', import.meta.url)

/** "PALI": a number that no other program is likely to lock. */
const LOCK = 0x50414c49

/** A statement that waits longer for a table gives way: all writers of the table would wait behind it. */
const LOCK_TIMEOUT_MS = 2_000
const MAX_WAIT_MS = 120_000

/** Brings the schema up to date, one process at a time. Refuses a schema that a newer program wrote. */
export async function migrate(client: ClientBase, schema: string, name: string): Promise<void> {
  // A role that may only read and write the tables can open what another role has migrated.
  const { version, newest } = await readVersions(client, schema, name)
  if (version === newest) return
  const deadline = performance.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await migrateOnce(client, schema, name)
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error
    }
    await new Promise(resolve => setTimeout(resolve, 100 + Math.random() * 400))
  }
}

/** The version of the schema. Refuses a schema that a newer program wrote. */
export async function readVersions(
  client: ClientBase,
  schema: string,
  name: string,
): Promise<SchemaVersions> {
  const version = await appliedVersion(client, schema, name)
  return { store: name, version, newest: readMigrations(MIGRATIONS).at(-1)!.version }
}

async function migrateOnce(client: ClientBase, schema: string, name: string): Promise<void> {
  await client.query('BEGIN')
  try {
    // An index of many rows takes longer than a role's time-outs, and so does another process's migration.
    await dropTimeouts(client)
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await client.query(`SET LOCAL search_path TO ${schema}`)
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL)',
    )
    const { rows } = await client.query<{ version: number | null }>(
      'SELECT max(version) AS version FROM migrations',
    )
    const version = rows[0]?.version ?? 0
    const migrations = readMigrations(MIGRATIONS)
    checkVersion(version, migrations.at(-1)!.version, name)
    for (const migration of migrations) {
      if (migration.version <= version) continue
      await client.query(migration.sql)
      await client.query('INSERT INTO migrations (version, applied_at) VALUES ($1, now())', [
        migration.version,
      ])
    }
    await client.query('COMMIT')
  } catch (error) {
    // If the connection is gone, so is the transaction.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** 0: there is no schema yet. */
async function appliedVersion(client: ClientBase, schema: string, name: string): Promise<number> {
  const table = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [
    `${schema}.migrations`,
  ])
  if (table.rows[0]?.found == null) return 0
  const { rows } = await client.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM ${schema}.migrations`,
  )
  const version = rows[0]?.version ?? 0
  checkVersion(version, readMigrations(MIGRATIONS).at(-1)!.version, name)
  return version
}

function checkVersion(version: number, newest: number, name: string): void {
  if (version > newest)
    throw new StoreError(
      'store_version',
      name,
      `a newer version of Palimpsest wrote this database (schema ${version}; this program knows ${newest}). ` +
        'Nothing was changed; update Palimpsest.',
    )
}
