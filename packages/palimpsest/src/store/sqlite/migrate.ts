import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../errors.ts'
import { readMigrations, type SchemaVersions } from '../migrations.ts'

/** "PALI", in the header of every database of ours. */
const APPLICATION_ID = 0x50414c49

export const MIGRATIONS = new URL('./migrations/', import.meta.url)

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

/** Whether the database still needs a migration. Refuses what is not ours, and what a newer program wrote. */
export function needsMigration(db: DatabaseSync, name: string): boolean {
  const { version, newest } = checkVersions(db, name)
  return version < newest
}

/** The same, by its numbers. */
export function checkVersions(db: DatabaseSync, name: string): SchemaVersions {
  const applicationId = pragma(db, 'application_id')
  const version = pragma(db, 'user_version')
  const tables = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number }
  const isEmpty = version === 0 && applicationId === 0 && tables.count === 0
  if (!isEmpty && applicationId !== APPLICATION_ID)
    throw new StoreError(
      'store_version',
      name,
      'this database belongs to another program. Nothing was changed; name another file.',
    )
  const newest = readMigrations(MIGRATIONS).at(-1)!.version
  if (version > newest)
    throw new StoreError(
      'store_version',
      name,
      `a newer version of Palimpsest wrote this database (schema ${version}; this program knows ${newest}). ` +
        'Nothing was changed; update Palimpsest.',
    )
  return { store: name, version, newest }
}

/** Inside a transaction of the caller's. */
export function migrate(db: DatabaseSync): void {
  const version = pragma(db, 'user_version')
  for (const migration of readMigrations(MIGRATIONS)) {
    if (migration.version <= version) continue
    db.exec(migration.sql)
    db.exec(`PRAGMA user_version = ${migration.version}`)
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
}
