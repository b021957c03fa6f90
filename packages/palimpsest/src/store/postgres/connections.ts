import type { Pool, PoolClient, PoolConfig } from 'pg'
import { MissingPeerError } from '../../errors.ts'

const INT8 = 20

/** The source of connections: a pool of the store, or a pool of the caller. */
export interface Connections {
  connect(): Promise<PoolClient>
  /** `isBroken`: no transaction can begin on this connection any more. */
  release(client: PoolClient, isBroken: boolean): void
  end(): Promise<void>
}

/** A pool that belongs to the store. */
export class OwnPool implements Connections {
  readonly #pool: Pool

  private constructor(pool: Pool) {
    this.#pool = pool
    // A connection that breaks is replaced when the next one is needed. If it breaks in use, its query fails.
    pool.on('error', () => {})
    pool.on('connect', client => client.on('error', () => {}))
  }

  static async open(
    connectionString: string,
    limits: { readonly connections: number; readonly connectTimeoutMs: number },
  ): Promise<OwnPool> {
    const { default: pg } = await import('pg').catch(cause => {
      throw new MissingPeerError('pg', 'The PostgreSQL store', cause)
    })
    return new OwnPool(
      new pg.Pool({
        // `pg` has this since 8.23. An older version waits for each answer before it sends the next
        // statement.
        ...({ pipeline: true } as PoolConfig),
        connectionString,
        max: limits.connections,
        connectionTimeoutMillis: limits.connectTimeoutMs,
        // Our whole numbers stay in the range that a JavaScript number holds exactly.
        types: {
          getTypeParser: (oid, format) =>
            (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
        },
      }),
    )
  }

  connect(): Promise<PoolClient> {
    return this.#pool.connect()
  }

  release(client: PoolClient, isBroken: boolean): void {
    client.release(isBroken)
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}
