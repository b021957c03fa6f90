import type { ClientBase } from 'pg'

/**
 * After a restore into this or another server, events get numbers of transactions that have been given before, or that
 * others follow only much later. So a database remembers where it stands: the server, its line of history, and the
 * table of events. Where it finds itself elsewhere, a new generation begins: positions from before are refused, and
 * the events that came along lie before all that happen from now on.
 */
export async function settlePlace(client: ClientBase, schema: string): Promise<void> {
  const place = await readPlace(client, schema)
  const { rows } = await client.query<{ place: string | null }>(`SELECT place FROM ${schema}.identity`)
  if (rows[0]?.place === place) return
  await client.query('BEGIN')
  try {
    // Of several that open it at once one begins the generation.
    const locked = await client.query<{ place: string | null }>(
      `SELECT place FROM ${schema}.identity FOR UPDATE`,
    )
    const before = locked.rows[0]?.place ?? null
    if (before !== null && before !== place) await beginGeneration(client, schema)
    await client.query(`UPDATE ${schema}.identity SET place = $1`, [place])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

async function beginGeneration(client: ClientBase, schema: string): Promise<void> {
  await client.query(
    `UPDATE ${schema}.identity SET generation = generation + 1,
       generation_key = left(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 16)`,
  )
  await client.query('SET LOCAL statement_timeout = 0')
  await client.query(
    `UPDATE ${schema}.events SET transaction_id = '1'::xid8 WHERE transaction_id <> '1'::xid8`,
  )
  // By the transactions of before. What was trimmed is gone, and no position from before is taken.
  await client.query(`UPDATE ${schema}.event_trim SET marks = '[]', through_major = 0, through_minor = 0`)
}

/** What a role may not ask for is left out: a hosted server may keep it to itself. */
async function readPlace(client: ClientBase, schema: string): Promise<string> {
  const { rows } = await client.query<{ mayAsk: boolean; table: string }>(
    `SELECT has_function_privilege('pg_control_system()', 'execute')
       AND has_function_privilege('pg_control_checkpoint()', 'execute') AS "mayAsk",
       (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' ||
         CAST(to_regclass($1) AS oid) AS "table"`,
    [`${schema}.events`],
  )
  const { mayAsk, table } = rows[0]!
  if (!mayAsk) return table
  const server = await client.query<{ server: string }>(
    `SELECT system_identifier || '/' || (SELECT timeline_id FROM pg_control_checkpoint()) AS server
     FROM pg_control_system()`,
  )
  return `${server.rows[0]!.server}/${table}`
}
