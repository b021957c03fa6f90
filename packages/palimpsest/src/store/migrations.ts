import { readdirSync, readFileSync } from 'node:fs'
import { StoreError } from '../errors.ts'

export interface Migration {
  readonly version: number
  readonly sql: string
}

/** How far a database is, and how far this program would bring it. */
export interface SchemaVersions {
  /** The store's name, without a password. */
  readonly store: string
  /** 0: the database has no schema yet. */
  readonly version: number
  readonly newest: number
}

/**
 * Migrations are plain SQL files (`0001-log.sql` and so on). They are applied in order and never changed
 * afterwards. They only add, because programs of the version before may be running on the database and must
 * go on.
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

/** For a caller that changes nothing, or that was told not to migrate. */
export function requireNewest({ store, version, newest }: SchemaVersions): void {
  if (version === newest) return
  const has = version === 0 ? 'it has no schema of Palimpsest yet' : `it has schema ${version}`
  throw new StoreError(
    'store_version',
    store,
    `${has}; this program needs schema ${newest}. Nothing was changed. "palimpsest migrate" brings it up to date, ` +
      'after which programs of an earlier version refuse it when they start.',
  )
}
