import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'

/** Where a memory is stored: in an SQLite file, or in a PostgreSQL database. */
export interface DatabasePlace {
  readonly db: string
  readonly store?: string
}

/**
 * What the caller names wins over the environment. A file that the caller names wins even over a PostgreSQL
 * database of the environment. `usual` maps the default file name, which is used where nothing names a file.
 */
export function databasePlace(
  { db, store }: Partial<DatabasePlace>,
  environment: Layer,
  usual: (file: string) => string = file => file,
): DatabasePlace {
  const { values, sources } = resolveSettings({ environment })
  const file = db ?? (sources['db'] === 'default' ? usual(values.db) : values.db)
  const url = store ?? (db === undefined ? values.store : null)
  return { db: file, ...(url !== null && { store: url }) }
}
