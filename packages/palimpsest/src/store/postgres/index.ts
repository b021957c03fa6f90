import { InvalidArgumentError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import { sqlStore } from '../sql/sql-store-of.ts'
import { type Store, type Warn, warnOnStderr } from '../store.ts'
import { PostgresDriver, type PostgresOptions } from './driver.ts'
import type { PostgresClient, PostgresPool } from './lent-pool.ts'

export type { PostgresClient, PostgresOptions, PostgresPool }

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

/**
 * The options without those that the pool itself decides: how many connections, and how long to wait for one.
 */
export interface PostgresPoolOptions extends Omit<OpenOptions, 'connections' | 'connectTimeoutMs' | 'queue'> {
  /** A `Pool` of the package `pg` that your program has anyway. The store never ends it. */
  readonly pool: PostgresPool
}

const LENT = optionsOf<PostgresPoolOptions>({
  pool: true,
  schema: true,
  busyTimeoutMs: true,
  readOnly: true,
  migrate: true,
  warn: true,
})

/**
 * For many processes and machines on one PostgreSQL. Needs the package `pg`.
 *
 * @example
 * postgres('postgres://user@host/db', { schema: 'palimpsest', connections: 10 })
 *
 * @example
 * const pool = new pg.Pool({ connectionString, max: 20 })
 * const palimpsest = await createPalimpsest({ store: postgres({ pool }) })
 * // … and in the end
 * await palimpsest.close()
 * await pool.end()
 */
export function postgres(url: string, options?: OpenOptions): Store
export function postgres(options: PostgresPoolOptions): Store
export function postgres(where: string | PostgresPoolOptions, options: OpenOptions = {}): Store {
  if (typeof where === 'string') {
    checkOptions('postgres', options, OPEN)
    return storeOf(where, options)
  }
  if (typeof where !== 'object' || where === null)
    throw new InvalidArgumentError(
      'postgres',
      where,
      'an address such as postgres://user@host/db, or { pool }',
    )
  checkOptions('postgres', where, LENT)
  const { pool, ...rest } = where
  return storeOf({ pool }, rest)
}

function storeOf(where: string | { readonly pool: PostgresPool }, options: OpenOptions): Store {
  const { warn = warnOnStderr, ...driver } = options
  return sqlStore(new PostgresDriver(where, driver), { warn })
}
