import { SqlStore } from '../sql/sql-store.ts'
import { type Store, type Warn, warnOnStderr } from '../store.ts'
import { PostgresDriver, type PostgresOptions } from './driver.ts'

export type { PostgresOptions }

/** For many processes and machines on one PostgreSQL. Needs the package `pg`. */
export function postgres(url: string, options: PostgresOptions & { warn?: Warn } = {}): Store {
  const { warn = warnOnStderr, ...driver } = options
  return new SqlStore(new PostgresDriver(url, driver), warn)
}
