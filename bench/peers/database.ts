import pg from 'pg'
import { startPostgres } from '../../test/postgres/server.ts'

/** A server that syncs to the disk, and what it can tell about what others do in it. */
export interface Database {
  readonly url: string
  /** How much was ever written to its log. */
  logBytes(): Promise<number>
  schemaBytes(schema: string): Promise<number>
  dropSchema(schema: string): Promise<void>
  stop(): Promise<void>
}

export async function startDatabase(): Promise<Database> {
  const server = await startPostgres({ durable: true })
  const client = new pg.Client(server.url)
  // Ctrl-C reaches the server, too.
  client.on('error', () => {})
  await client.connect()
  const ask = async (text: string, values: string[] = []) => {
    const { rows } = await client.query({ text, values, rowMode: 'array' })
    return Number((rows as unknown[][])[0]?.[0] ?? 0)
  }
  return {
    url: server.url,
    logBytes: () => ask("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"),
    schemaBytes: schema =>
      ask(
        `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'm')`,
        [schema],
      ),
    dropSchema: async schema => {
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    },
    stop: async () => {
      await client.end().catch(() => {})
      await server.stop()
    },
  }
}
