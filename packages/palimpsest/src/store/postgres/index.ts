import { checkOptions, optionsOf } from '../../known-options.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { type Store, type Warn, warnOnStderr } from '../store.ts'
import { PostgresDriver, type PostgresOptions } from './driver.ts'

export type { PostgresOptions }

type OpenOptions = PostgresOptions & { readonly warn?: Warn }

const OPEN = optionsOf<OpenOptions>({
  connections: true,
  schema: true,
  connectTimeoutMs: true,
  busyTimeoutMs: true,
  queue: true,
  readOnly: true,
  migrate: true,
  warn: true,
})

/** For many processes and machines on one PostgreSQL. Needs the package `pg`. */
export function postgres(url: string, options: OpenOptions = {}): Store {
  checkOptions('postgres', options, OPEN)
  const { warn = warnOnStderr, ...driver } = options
  return new SqlStore(new PostgresDriver(url, driver), warn)
}
