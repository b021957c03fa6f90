import { checkOptions, optionsOf } from '../../known-options.ts'
import { type Store, type Warn, warnOnStderr } from '../store.ts'
import type { Driver } from './driver.ts'
import { SqlStore } from './sql-store.ts'

export interface SqlStoreOptions {
  /** Receives warnings of problems that do not stop the store. The default writes to stderr. */
  readonly warn?: Warn
}

const OPTIONS = optionsOf<SqlStoreOptions>({ warn: true })

/**
 * The whole store for a database of your own, through its driver. The driver then has to prove what the store
 * promises: `storeContract` in `palimpsest/testing` holds every case.
 *
 * @example
 * const palimpsest = await createPalimpsest({ store: sqlStore(new MyDriver('my.db')) })
 */
export function sqlStore(driver: Driver, options: SqlStoreOptions = {}): Store {
  checkOptions('sqlStore', options, OPTIONS)
  return new SqlStore(driver, options.warn ?? warnOnStderr)
}
