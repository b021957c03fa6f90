import { SqlStore } from '../sql/sql-store.ts'
import { type Store, type Warn, warnOnStderr } from '../store.ts'
import { SqliteDriver, type SqliteOptions } from './driver.ts'

export type { SqliteOptions }

/** The embedded default: one file, durable on every append, shared by several processes if need be. */
export function sqlite(path: string, options: SqliteOptions & { warn?: Warn } = {}): Store {
  const { warn = warnOnStderr, ...driver } = options
  return new SqlStore(new SqliteDriver(path, driver, warn), warn)
}
