import type { PoolClient } from 'pg'
import { InvalidArgumentError } from '../../errors.ts'
import type { Connections } from './connections.ts'

/** What is used of a pool: the pool of `pg`, or that of a package that behaves like it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  on(event: 'remove', listener: () => void): unknown
  off(event: 'remove', listener: () => void): unknown
  /** `true`: the pool was ended, or is about to be. */
  readonly ending?: boolean
  readonly options?: {
    readonly connectionString?: string | undefined
    readonly host?: string | undefined
    readonly database?: string | undefined
    readonly binary?: boolean | undefined
  }
}

export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export function checkPool(pool: PostgresPool): void {
  const isPool = ['connect', 'on', 'off'].every(name => typeof pool?.[name as 'connect'] === 'function')
  if (!isPool) throw new InvalidArgumentError('pool', pool, 'a Pool of the package pg')
  if (pool.options?.binary)
    throw new InvalidArgumentError('pool', 'a pool with binary: true', 'one that reads values as text')
}

/** The words of `pg` for a caller that comes after the end. */
const ENDED = 'Cannot use a pool after calling end on the pool'

/**
 * Connections of a pool that belongs to the caller. The pool is never ended here, and none of its settings is
 * changed.
 */
export class LentPool implements Connections {
  readonly #pool: PostgresPool
  readonly #waiting = new Set<(error: Error) => void>()
  readonly #onRemove = () => {
    if (!this.#pool.ending) return
    for (const reject of this.#waiting) reject(new Error(ENDED))
    this.#waiting.clear()
  }

  constructor(pool: PostgresPool) {
    this.#pool = pool
    pool.on('remove', this.#onRemove)
  }

  /**
   * When a pool is ended, `pg` lets callers that wait for a connection wait for ever. Here their calls fail.
   */
  async connect(): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresClient>()
    this.#waiting.add(reject)
    this.#pool
      .connect()
      .then(client => (this.#waiting.has(reject) ? resolve(client) : client.release()), reject)
      .finally(() => this.#waiting.delete(reject))
    const client = await promise
    // The pool listens to the connections that it holds. If a connection breaks in use, its query fails.
    client.on('error', ignore)
    return client as unknown as PoolClient
  }

  release(client: PoolClient, isBroken: boolean): void {
    client.off('error', ignore)
    client.release(isBroken)
  }

  async end(): Promise<void> {
    this.#pool.off('remove', this.#onRemove)
  }
}

function ignore(): void {}
