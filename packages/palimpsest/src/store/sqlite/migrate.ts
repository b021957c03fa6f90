import { StoreError } from '../../errors.ts'
import { readMigrations, type SchemaVersions } from '../migrations.ts'

/** "PALI", in the header of every database of ours. */
const APPLICATION_ID = 0x50414c49

export const MIGRATIONS = new URL('./migrations/', import.meta.url)

/** What is needed of a connection, of any SQLite binding. */
export interface SqliteConnection {
  /** Any number of statements. */
  exec(sql: string): void
  prepare(sql: string): { get(): object | null | undefined }
}

function pragma(db: SqliteConnection, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

/**
 * Whether the database still needs a migration. Refuses a database of another program, and one that a newer
 * version wrote.
 */
export function needsMigration(db: SqliteConnection, name: string): boolean {
  const { version, newest } = checkVersions(db, name)
  return version < newest
}

/** Makes the same check, and answers with the version numbers. */
export function checkVersions(db: SqliteConnection, name: string): SchemaVersions {
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

/**
 * Makes the tables of a SQLite database, or brings them up to date. It does all of it or nothing, and several
 * programs may call it at once. It refuses a database of another program, and one that a newer version wrote.
 * `name` is for errors.
 */
export function migrate(db: SqliteConnection, name: string): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    if (needsMigration(db, name)) applyMigrations(db)
    db.exec('COMMIT')
  } catch (error) {
    // Some errors, such as a full disk, have already undone the transaction.
    try {
      db.exec('ROLLBACK')
    } catch {}
    throw error
  }
}

function applyMigrations(db: SqliteConnection): void {
  const version = pragma(db, 'user_version')
  for (const migration of readMigrations(MIGRATIONS)) {
    if (migration.version <= version) continue
    db.exec(migration.sql)
    db.exec(`PRAGMA user_version = ${migration.version}`)
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
}
