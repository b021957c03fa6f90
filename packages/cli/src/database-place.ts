import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'

/** Where a memory is: a file, or a PostgreSQL database. */
export interface DatabasePlace {
  readonly db: string
  readonly store?: string
}

/**
 * What is named over what the environment names. Who names a file means it, whatever database the environment names.
 * `usual`: where the file is that nobody named.
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
