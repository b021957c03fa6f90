import type { Pool, PoolClient } from 'pg'
import { ClosedError, InvalidArgumentError, MissingPeerError } from '../../errors.ts'
import { asDamage } from '../sql/damage.ts'
import type { Dialect, Driver } from '../sql/driver.ts'
import { type Query, type Row, runAsync, type Steps } from '../sql/steps.ts'
import { isTransient, toStoreError } from './errors.ts'
import { migrate } from './migrate.ts'

export interface PostgresOptions {
  /** Connections at most. */
  readonly connections?: number
  /** Where our tables live, so that they meet none of yours. */
  readonly schema?: string
  /** How long to wait for a connection. */
  readonly connectTimeoutMs?: number
}

const DIALECT: Dialect = {
  lockSession: ' FOR UPDATE',
  readEvents: `SELECT CAST(CAST(e.transaction_id AS TEXT) AS BIGINT) AS major, e.id AS minor,
      s.namespace, s.name, e.type, e.at, e.from_seq, e.to_seq, e.data
    FROM events e JOIN sessions s ON s.id = e.session_id
    WHERE (e.transaction_id, e.id) > (CAST(CAST(?1 AS TEXT) AS XID8), ?2)
      AND e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.transaction_id, e.id LIMIT ?3`,
  eventPosition: row => `${row.major}.${row.minor}`,
}

const ATTEMPTS = 10
const INT8 = 20

export class PostgresDriver implements Driver {
  readonly name: string
  readonly dialect = DIALECT
  readonly #url: string
  readonly #options: Required<PostgresOptions>
  readonly #texts = new Map<string, string>()
  #pool: Pool | null = null

  constructor(url: string, options: PostgresOptions) {
    this.name = `PostgreSQL ${withoutPassword(url)}`
    this.#url = url
    this.#options = { connections: 10, schema: 'palimpsest', connectTimeoutMs: 10_000, ...options }
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(this.#options.schema))
      throw new InvalidArgumentError(
        'schema',
        this.#options.schema,
        'lower-case letters, digits and underscores',
      )
  }

  async open(): Promise<void> {
    const { default: pg } = await import('pg').catch(cause => {
      throw new MissingPeerError('pg', 'The PostgreSQL store', cause)
    })
    const pool = new pg.Pool({
      connectionString: this.#url,
      max: this.#options.connections,
      connectionTimeoutMillis: this.#options.connectTimeoutMs,
      // Our whole numbers stay within what a JavaScript number holds exactly.
      types: {
        getTypeParser: (oid, format) =>
          (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
      },
    })
    // An idle connection that breaks is replaced when the next one is needed.
    pool.on('error', () => {})
    try {
      const client = await pool.connect()
      try {
        await migrate(client, this.#options.schema, this.name)
      } finally {
        client.release()
      }
    } catch (error) {
      await pool.end()
      throw toStoreError(error, this.name)
    }
    this.#pool = pool
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = null
    await pool?.end()
  }

  read<Result>(steps: () => Steps<Result>): Promise<Result> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', steps)
  }

  async write<Result>(steps: () => Steps<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transaction('BEGIN', steps)
      } catch (error) {
        const cause = (error as { cause?: unknown }).cause
        if (!isTransient(cause) || attempt === ATTEMPTS) throw error
      }
      await new Promise(resolve => setTimeout(resolve, Math.random() * 2 ** attempt))
    }
  }

  async #transaction<Result>(begin: string, steps: () => Steps<Result>): Promise<Result> {
    if (this.#pool === null) throw new ClosedError('store')
    let client: PoolClient | undefined
    try {
      client = await this.#pool.connect()
      const result = await this.#runIn(client, begin, steps)
      client.release()
      return result
    } catch (error) {
      // Whatever state the connection is in now, nobody else gets it, unless it could be cleaned.
      const clean = await client?.query('ROLLBACK').then(
        () => true,
        () => false,
      )
      client?.release(!clean)
      throw toStoreError(asDamage(error, this.name), this.name)
    }
  }

  async #runIn<Result>(client: PoolClient, begin: string, steps: () => Steps<Result>): Promise<Result> {
    // For this transaction only, so that a pooler may hand the connection to somebody else afterwards.
    await client.query(`${begin}; SET LOCAL search_path TO ${this.#options.schema}`)
    const result = await runAsync(steps(), query => this.#execute(client, query))
    await client.query('COMMIT')
    return result
  }

  async #execute(client: PoolClient, { sql, parameters }: Query): Promise<readonly Row[]> {
    const { rows } = await client.query<Row>(this.#translate(sql), [...parameters])
    return rows
  }

  #translate(sql: string): string {
    let text = this.#texts.get(sql)
    if (text === undefined) {
      text = sql.replace(/\?(\d+)/g, '$$$1')
      this.#texts.set(sql, text)
    }
    return text
  }
}

/** Whatever could be a password goes, also in an address that is written wrong: all before the last `@`. */
function withoutPassword(url: string): string {
  return url
    .replace(/\/\/.*@/s, '//…@')
    .replace(/\?.*$/s, '')
    .replace(/(password\s*=\s*)\S*/gi, '$1…')
}
