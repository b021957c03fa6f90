import { checkOptions, optionsOf } from '../../known-options.ts'
import { sqlStore } from '../sql/sql-store-of.ts'
import { type Store, type Warn, warnOnStderr } from '../store.ts'
import type { Backup, BackupOptions } from './backup.ts'
import { SqliteDriver, type SqliteOptions } from './driver.ts'

export { SQLITE_DIALECT } from './dialect.ts'
export { migrate as migrateSqlite, type SqliteConnection } from './migrate.ts'
export { withTextsApart } from './texts-apart.ts'
export type { Backup, BackupOptions, SqliteOptions }

type OpenOptions = SqliteOptions & { readonly warn?: Warn }

const OPEN = optionsOf<OpenOptions>({
  durability: true,
  busyTimeoutMs: true,
  readOnly: true,
  migrate: true,
  warn: true,
})

/**
 * The embedded default: one file, durable on every append. Several processes may share it.
 *
 * @example
 * const palimpsest = await createPalimpsest({ store: sqlite('./palimpsest.db') })
 */
export function sqlite(path: string, options: OpenOptions = {}): Store {
  checkOptions('sqlite', options, OPEN)
  const { warn = warnOnStderr, ...driver } = options
  return sqlStore(new SqliteDriver(path, driver, warn), { warn })
}

/**
 * Copies a database file as it is at one moment, while programs write to it. The copy is read through and on
 * the disk, and it gets its name only when it is whole.
 *
 * @example
 * const { messages, tookMs } = await backupSqlite('./palimpsest.db', { to: '/backups/monday.db' })
 */
export async function backupSqlite(path: string, options: BackupOptions): Promise<Backup> {
  return (await import('./backup.ts')).backupSqlite(path, options)
}
