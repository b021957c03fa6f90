import type { ClientBase } from 'pg'
import { dropTimeouts } from './timeouts.ts'

/**
 * After a restore into this or another server, new events may get numbers of transactions that were given
 * before, and a stored event may have a number that the server reaches only much later. So a database
 * remembers where it is: the server, its line of history, and the table of events. If it finds itself
 * elsewhere, a new generation begins. Positions from before are refused, and the restored events lie before
 * all events that happen from now on.
 *
 * If a state of the same server was put back (a copy of its files, a snapshot of its disk), the database
 * looks as before. So the program that restores it says so: `isRestored`.
 */
export async function settlePlace(
  client: ClientBase,
  schema: string,
  { isRestored = false }: { readonly isRestored?: boolean } = {},
): Promise<void> {
  const place = await readPlace(client, schema)
  const { rows } = await client.query<{ place: string | null }>(`SELECT place FROM ${schema}.identity`)
  if (!isRestored && rows[0] && fullerPlace(rows[0].place, place) === rows[0].place) return
  await client.query('BEGIN')
  try {
    // Many events get another number, which takes time.
    await dropTimeouts(client)
    // If several programs open it at once, one of them begins the generation.
    const locked = await client.query<{ place: string | null }>(
      `SELECT place FROM ${schema}.identity FOR UPDATE`,
    )
    const before = locked.rows[0]?.place ?? null
    const fuller = fullerPlace(before, place)
    if (isRestored || fuller === null) await beginGeneration(client, schema)
    await client.query(`UPDATE ${schema}.identity SET place = $1`, [fuller ?? place])
    await client.query('COMMIT')
  } catch (error) {
    // If the connection is gone, so is the transaction.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * If both are the same place: the one that says more. `null`: they are different places. One role may ask for
 * the server and another may not, so a part that either leaves out makes no difference.
 */
function fullerPlace(before: string | null, now: string): string | null {
  if (before === null || now.endsWith(`/${before}`)) return now
  return before === now || before.endsWith(`/${now}`) ? before : null
}

async function beginGeneration(client: ClientBase, schema: string): Promise<void> {
  await client.query(
    `UPDATE ${schema}.identity SET generation = generation + 1,
       generation_key = left(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 16)`,
  )
  await client.query(
    `UPDATE ${schema}.events SET transaction_id = '1'::xid8 WHERE transaction_id <> '1'::xid8`,
  )
  // These marks hold the old transactions. What was trimmed is gone, and no position from before is accepted.
  await client.query(`UPDATE ${schema}.event_trim SET marks = '[]', through_major = 0, through_minor = 0`)
}

/** Leaves out what the role may not ask for: a hosted server may keep it to itself. */
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
