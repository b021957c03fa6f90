import type { Writable } from 'node:stream'
import type { PoolClient, QueryConfig } from 'pg'
import { ClosedError, checkPositive, InvalidArgumentError, StoreError } from '../../errors.ts'
import type { CheckResult, CheckUpRequest } from '../check-up.ts'
import type { ScrubState } from '../erasure.ts'
import { requireNewest, type SchemaVersions } from '../migrations.ts'
import { asDamage } from '../sql/damage.ts'
import type { Driver } from '../sql/driver.ts'
import { type Row, runAsync, type Steps } from '../sql/steps.ts'
import { asUndone, asUndoneAs } from '../sql/undone.ts'
import { withoutPassword } from '../without-password.ts'
import { type Connections, OwnPool } from './connections.ts'
import { POSTGRES_DIALECT } from './dialect.ts'
import { checkEncoding } from './encoding.ts'
import { hasLostStatements, isRefusal, isTransient, toStoreError } from './errors.ts'
import type { FoldQueue } from './fold-queue.ts'
import { forgetJobs } from './forget-jobs.ts'
import { checkPool, LentPool, type PostgresPool } from './lent-pool.ts'
import { inIndexOrder } from './planning.ts'
import { DEFAULT_SCHEMA } from './schema-name.ts'
import { readingValues, VALUES } from './values.ts'

export interface PostgresOptions {
  /** The highest number of connections. */
  readonly connections?: number
  /** The schema of our tables, so that they do not meet tables of yours. */
  readonly schema?: string
  /** How long to wait for a connection. */
  readonly connectTimeoutMs?: number
  /** How long to wait for other writers of the same session. */
  readonly busyTimeoutMs?: number
  /**
   * `true`: folds that are due become jobs of a queue in the same database, in the transaction of the append.
   * Any number of workers can take them. It needs the package `pg-boss`. The default is `false`: each process
   * folds what it appends.
   */
  readonly queue?: boolean
  /** Opens an existing database for reading only, as it is. A database of an older version is refused. */
  readonly readOnly?: boolean
  /** `false`: a database that lacks our tables, or is of an older version, is refused and not changed. */
  readonly migrate?: boolean
}

/**
 * The isolation is set here, whatever the default of the role or the pool is: a statement after a lock must
 * see what was committed before it.
 */
const BEGIN_WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED'
/**
 * No transaction holds a session's lock for long. A writer that waits longer than this tries again, until its
 * time is over.
 */
const LOCK_TIMEOUT_MS = 2_000
/** For a writer that must not wait: this time lets other transactions end that are about to end. */
const HARDLY_MS = 50

export class PostgresDriver implements Driver {
  readonly name: string
  readonly dialect = POSTGRES_DIALECT
  readonly queuesFolds: boolean
  /** `null`: the pool belongs to the caller. */
  readonly #url: string | null
  readonly #lent: PostgresPool | null
  readonly #options: Required<PostgresOptions>
  readonly #prepared = new Map<string, QueryConfig>()
  #pool: Connections | null = null
  #queue: FoldQueue | null = null

  constructor(where: string | { readonly pool: PostgresPool }, options: PostgresOptions) {
    this.#url = typeof where === 'string' ? where : null
    this.#lent = typeof where === 'string' ? null : where.pool
    if (this.#lent !== null) checkPool(this.#lent)
    this.name = `PostgreSQL ${withoutPassword(this.#url ?? addressOf(this.#lent!))}`
    const {
      connections = 10,
      schema = DEFAULT_SCHEMA,
      connectTimeoutMs = 10_000,
      busyTimeoutMs = 10_000,
      queue = false,
      readOnly = false,
      migrate = true,
    } = options
    this.queuesFolds = queue
    this.#options = { connections, schema, connectTimeoutMs, busyTimeoutMs, queue, readOnly, migrate }
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
      throw new InvalidArgumentError('schema', schema, 'lower-case letters, digits and underscores')
    if (queue && this.#lent !== null)
      throw new InvalidArgumentError(
        'queue',
        queue,
        'false with a pool of yours: the queue has connections of its own',
      )
    checkPositive('connections', connections)
    checkPositive('connectTimeoutMs', connectTimeoutMs)
    checkPositive('busyTimeoutMs', busyTimeoutMs)
  }

  /** `isRestored`: an earlier state was put back. This begins a generation, wherever the database is. */
  async open({ isRestored = false }: { readonly isRestored?: boolean } = {}): Promise<void> {
    const { migrate, readVersions } = await import('./migrate.ts')
    const { settlePlace } = await import('./place.ts')
    const { switchStatisticsOff } = await import('./column-statistics.ts')
    const { readOnly, migrate: migrates } = this.#options
    this.#pool = await this.#connect(async (client, schema) => {
      if (migrates && !readOnly) await migrate(client, schema, this.name)
      else requireNewest(await readVersions(client, schema, this.name))
      if (readOnly) return
      await settlePlace(client, schema, { isRestored })
      if (migrates) await switchStatisticsOff(client, schema)
    })
  }

  /** The versions of the database, without opening it for good. */
  async readSchemaVersions(): Promise<SchemaVersions> {
    const { readVersions } = await import('./migrate.ts')
    return this.#look((client, schema) => readVersions(client, schema, this.name))
  }

  /**
   * The id of the database, whichever version wrote it, without opening it for good. `null`: it has no id.
   */
  async readStoredId(): Promise<string | null> {
    return this.#look(async (client, schema) => {
      const { rows } = await client.query('SELECT to_regclass($1) AS found', [`${schema}.identity`])
      if (rows[0].found === null) return null
      const identity = await client.query<{ id: string }>(`SELECT id FROM ${schema}.identity`)
      return identity.rows[0]?.id ?? null
    })
  }

  async #look<Result>(work: (client: PoolClient, schema: string) => Promise<Result>): Promise<Result> {
    let result: Result
    const pool = await this.#connect(async (client, schema) => {
      result = await work(client, schema)
    })
    await pool.end()
    return result!
  }

  async #connect(begin: (client: PoolClient, schema: string) => Promise<void>): Promise<Connections> {
    const pool = await this.#openPool()
    try {
      await withClient(pool, async client => {
        await checkEncoding(client, this.name)
        await begin(client, this.#options.schema)
      })
      await this.#openQueue()
    } catch (error) {
      await pool.end()
      throw toStoreError(error, this.name)
    }
    return pool
  }

  async #openPool(): Promise<Connections> {
    if (this.#lent !== null) return new LentPool(this.#lent)
    const url = this.#url!
    if (!/^postgres(ql)?:\/\//.test(url))
      throw new StoreError(
        'store_unavailable',
        this.name,
        'this is no address of a PostgreSQL database; write it as postgres://user@host/database',
      )
    return OwnPool.open(url, this.#options)
  }

  async #openQueue(): Promise<void> {
    const { queue, readOnly, schema, migrate } = this.#options
    if (!queue || readOnly) return
    const { FoldQueue } = await import('./fold-queue.ts')
    this.#queue = await FoldQueue.open({ url: this.#url!, schema }, { migrates: migrate })
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = null
    await this.#queue?.close()
    await pool?.end()
  }

  read<Result>(steps: () => Steps<Result>): Promise<Result> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', steps)
  }

  async write<Result>(
    steps: () => Steps<Result>,
    { waits = true }: { readonly waits?: boolean } = {},
  ): Promise<Result> {
    this.#requireWriting()
    if (!waits) return this.#transaction(`${BEGIN_WRITE}; SET LOCAL lock_timeout = ${HARDLY_MS}`, steps)
    const deadline = performance.now() + this.#options.busyTimeoutMs
    for (let pause = 2; ; pause = Math.min(100, pause * 2)) {
      try {
        return await this.#transaction(`${BEGIN_WRITE}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`, steps)
      } catch (error) {
        const cause = (error as { cause?: unknown }).cause
        if (!isTransient(cause) || performance.now() > deadline) throw error
      }
      await new Promise(resolve => setTimeout(resolve, Math.random() * pause))
    }
  }

  async scrub(): Promise<boolean> {
    this.#requireWriting()
    const { vacuumTables } = await import('./scrub.ts')
    return this.#outsideTransactions(client => vacuumTables(client, this.#options.schema))
  }

  async readScrub(erasure: { readonly namespace: string; readonly id: number }): Promise<ScrubState> {
    const { readScrub } = await import('./scrub.ts')
    return this.#outsideTransactions(client => readScrub(client, this.#options.schema, erasure))
  }

  async checkUp({ now }: CheckUpRequest): Promise<readonly CheckResult[]> {
    const { checkServer } = await import('./check-server.ts')
    return this.#outsideTransactions(client => checkServer(client, this.#options.schema, now))
  }

  /** For a vacuum, which is not allowed in a transaction. */
  async #outsideTransactions<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    if (this.#pool === null) throw new ClosedError('store')
    try {
      return await withClient(this.#pool, work)
    } catch (error) {
      throw toStoreError(error, this.name)
    }
  }

  #requireWriting(): void {
    if (this.#options.readOnly && this.#pool !== null)
      throw asUndone(
        new StoreError('store_read_only', this.name, 'the database was opened for reading only.'),
      )
  }

  async #transaction<Result>(begin: string, steps: () => Steps<Result>): Promise<Result> {
    const pool = this.#pool
    if (pool === null) throw new ClosedError('store')
    let client: PoolClient | undefined
    try {
      client = await pool.connect()
      const result = await this.#runIn(client, begin, steps)
      pool.release(client, false)
      return result
    } catch (error) {
      // The connection is in an unknown state now. It is given to another caller only if the rollback cleans
      // it.
      const clean = await client?.query('ROLLBACK').then(
        () => true,
        () => false,
      )
      if (client) pool.release(client, !clean || hasLostStatements(error))
      throw asUndoneAs(toStoreError(asDamage(error, this.name), this.name), error)
    }
  }

  /**
   * A statement whose answer is not read is sent without waiting for it. So an append makes two round trips
   * to the server and not seven. Once a statement has failed, the server refuses all that follow, the commit
   * included. The first failure is the one that tells why.
   */
  async #runIn<Result>(client: PoolClient, begin: string, steps: () => Steps<Result>): Promise<Result> {
    const sent: Promise<unknown>[] = []
    let isCommitting = false
    const send = (query: string | QueryConfig) => {
      sendInOnePacket(client)
      const answer = client.query<Row>(query)
      sent.push(answer)
      // The answers are looked at below.
      answer.catch(() => {})
      return answer
    }
    // For this transaction only, so that a pooler may give the connection to another client afterwards.
    send(`${begin}; SET LOCAL search_path TO ${this.#options.schema}; ${inIndexOrder('SET LOCAL')}`)
    try {
      const result = await runAsync(steps(), async ({ sql, parameters, isUnread, job }) => {
        if (job !== undefined) {
          if ('forget' in job || 'words' in job) await forgetJobs(client, this.#options.schema, job)
          else await this.#queue?.take(job, client)
          return []
        }
        const answer = send({ ...this.#prepare(sql), values: [...parameters] })
        return isUnread ? [] : (await answer).rows
      })
      isCommitting = true
      send('COMMIT')
      await Promise.all(sent)
      return result
    } catch (error) {
      const answers = await Promise.allSettled(sent)
      const first = answers.find(answer => answer.status === 'rejected')?.reason ?? error
      throw isCommitting && !isRefusal(first) ? first : asUndone(first)
    }
  }

  /**
   * The name is made from the text. So a connection parses and plans each statement once, for all that share
   * the connection.
   */
  #prepare(sql: string): QueryConfig {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      const text = sql.replace(/\?(\d+)/g, '$$$1')
      const { createHash } = process.getBuiltinModule('node:crypto')
      prepared = { text, name: createHash('sha256').update(text).digest('hex').slice(0, 32), types: VALUES }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

/** After a failure, a connection is not used again, whatever its state is. */
async function withClient<Result>(
  pool: Connections,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await work(readingValues(client))
    pool.release(client, false)
    return result
  } catch (error) {
    pool.release(client, true)
    throw error
  }
}

/**
 * Statements that are sent at the same time leave in one packet. `pg` writes each by itself, and each would
 * wake the server. If a version of `pg` keeps its socket elsewhere, they leave one by one.
 */
function sendInOnePacket(client: PoolClient): void {
  const socket = (client as { readonly connection?: { readonly stream?: Partial<Writable> } }).connection
    ?.stream
  if (socket?.cork === undefined || socket.writableCorked !== 0) return
  socket.cork()
  process.nextTick(() => socket.uncork?.())
}

function addressOf({ options }: PostgresPool): string {
  const { connectionString, host = '', database = '' } = options ?? {}
  return connectionString ?? `//${host}/${database} through a pool`
}
