import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  readonly version: number
  readonly sql: string
}

/** How far a database is, and how far this program would bring it. */
export interface SchemaVersions {
  /** The store's name, without a password. */
  readonly store: string
  /** 0: there is nothing yet. */
  readonly version: number
  readonly newest: number
}

/**
 * Migrations are plain SQL files, `0001-log.sql` and so on, applied in order and never changed afterwards. They only
 * add: programs of the version before may be running on the database, and go on.
 */
export function readMigrations(folder: URL): readonly Migration[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map(file => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(new URL(file, folder), 'utf8'),
    }))
}
