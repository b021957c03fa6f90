import type { ClientBase } from 'pg'
import { jobsSchema } from './boss.ts'

/**
 * Gives the space of deleted rows back, in tables and indexes, one table after the other; nobody waits for it.
 *
 * What PostgreSQL offers ends here. Rows that a transaction under way may still see are left to its own vacuum.
 * The space is free but not overwritten at once: the bytes in it go when new rows take their place. Rewriting
 * the tables (`VACUUM FULL`) would do that at once, and would lock everybody out meanwhile, so it is left to
 * whoever runs the server; and so are its write-ahead log, its replicas and its backups.
 */
export async function vacuumTables(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS table FROM pg_tables WHERE schemaname = ANY($1) ORDER BY 1",
    [[schema, jobsSchema(schema)]],
  )
  // By default the indexes of a table with few deleted rows are left as they are, with what was in them.
  for (const { table } of rows) await client.query(`VACUUM (INDEX_CLEANUP ON) ${table}`)
}
