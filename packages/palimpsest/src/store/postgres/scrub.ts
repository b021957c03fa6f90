import type { ClientBase } from 'pg'
import type { OperatorTask, ScrubState } from '../erasure.ts'
import { jobsSchema } from './boss.ts'
import { clearStatistics, listNotedColumns, statisticsStatement } from './column-statistics.ts'
import { withoutTimeouts } from './timeouts.ts'

/**
 * Gives the space of deleted rows back, in tables and indexes, one table after the other. No other
 * transaction waits for it.
 *
 * PostgreSQL offers no more than this. The space is free but not overwritten at once: its bytes go when new
 * rows take their place. Rewriting the tables (`VACUUM FULL`) would remove them at once, but would lock every
 * other transaction out meanwhile. So that is left to the operator of the server, and so are its write-ahead
 * log, its replicas and its backups.
 *
 * This is how it is known that rows are gone. `VACUUM (FREEZE)` ends by writing into `pg_class.relfrozenxid`
 * the oldest transaction of which the table may still hold anything, deleted rows included. If that is
 * younger than the transaction that deleted the rows, no deleted row is left. Any role may read this value,
 * and no statistics have to be on. A vacuum that was refused, skipped or cancelled does not move it. A vacuum
 * that had to leave rows to an older transaction does not move it either. A vacuum by another role moves it
 * just as well.
 */
const VACUUM = 'VACUUM (FREEZE, INDEX_CLEANUP ON'

/** The statement names all tables; the note names only this many. */
const MAX_NAMES_IN_NOTE = 3

interface LeftTable {
  readonly table: string
  readonly schema: string
  readonly isPermitted: boolean
}

/** `false`: not all of it is gone. An older transaction may still see it, or this role may not vacuum. */
export async function vacuumTables(client: ClientBase, schema: string): Promise<boolean> {
  const isCleared = await clearStatistics(client, schema)
  const since = await lastDeletion(client, schema)
  const left = await listLeftTables(client, schema, since)
  await withoutTimeouts(client, async () => {
    // A table that another vacuum works on is left for the next time. Indexes are cleaned even if few rows
    // were deleted.
    for (const { table, isPermitted } of left)
      if (isPermitted) await client.query(`${VACUUM}, SKIP_LOCKED) ${table}`)
    // A role without the right only gets a warning. The server does this by itself before long.
    if (isCleared) await client.query(`${VACUUM}, SKIP_LOCKED) pg_catalog.pg_statistic`)
  })
  if ((await listLeftTables(client, schema, since)).length > 0) return false
  return (await listNotedColumns(client, schema)).length === 0
}

/** The state of an erasure that has no more to delete. */
export async function readScrub(
  client: ClientBase,
  schema: string,
  erasure: { readonly namespace: string; readonly id: number },
): Promise<ScrubState> {
  const { rows } = await client.query<{ since: string; stage: string }>(
    `SELECT xmin::text AS since, stage FROM ${schema}.erasures WHERE namespace = $1 AND id = $2`,
    [erasure.namespace, erasure.id],
  )
  if (rows[0] === undefined) return { isGone: false }
  // Another process has found it done, and has written so since the caller read the record.
  if (rows[0].stage === 'done') return { isGone: true }
  const noted = await listNotedColumns(client, schema)
  if (noted.some(({ mayClear }) => !mayClear))
    return { isGone: false, waitsFor: await describeStatistics(client, schema) }
  const left = await listLeftTables(client, schema, rows[0].since)
  const forbidden = left.filter(({ isPermitted }) => !isPermitted)
  if (forbidden.length === 0) return { isGone: left.length + noted.length === 0 }
  return { isGone: false, waitsFor: await describeTask(client, forbidden) }
}

/**
 * The newest transaction that deleted for an erasure. The record of the erasure is written last, so the
 * transaction that wrote this row comes after all others of the erasure. If there is no erasure: a
 * transaction that begins now.
 */
async function lastDeletion(client: ClientBase, schema: string): Promise<string> {
  const { rows } = await client.query<{ since: string }>(
    `SELECT coalesce(
       (SELECT xmin FROM ${schema}.erasures WHERE stage IN ('files', 'scrubbing') ORDER BY age(xmin) LIMIT 1),
       pg_current_xact_id()::xid)::text AS since`,
  )
  return rows[0]!.since
}

/** Long texts lie in a table beside their own (TOAST), which is vacuumed with it. */
async function listLeftTables(
  client: ClientBase,
  schema: string,
  since: string,
): Promise<readonly LeftTable[]> {
  const { rows } = await client.query<LeftTable>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(n.nspname) AS schema,
       has_schema_privilege(n.oid, 'USAGE') AND (
         pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE')
         OR CASE WHEN current_setting('server_version_num')::int >= 170000
              THEN has_table_privilege(c.oid, 'MAINTAIN')
              ELSE pg_has_role(c.relowner, 'USAGE') END) AS "isPermitted"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_class long ON long.oid = c.reltoastrelid
     WHERE c.relkind = 'r' AND n.nspname = ANY($1)
       AND greatest(age(c.relfrozenxid), age(long.relfrozenxid)) >= age($2::xid)
     ORDER BY 1`,
    [[schema, jobsSchema(schema)], since],
  )
  return rows
}

async function describeStatistics(client: ClientBase, schema: string): Promise<OperatorTask> {
  return {
    note:
      'the server has copied values of columns for its planner (pg_stats), and this role may not remove them, so what ' +
      'was erased may be among them. Run the statement once, as the owner of the tables or as a superuser; then ' +
      'look at the receipt again. "palimpsest migrate" by the owner sees to it that none are copied from then on',
    statement: await statisticsStatement(client, schema),
  }
}

async function describeTask(client: ClientBase, forbidden: readonly LeftTable[]): Promise<OperatorTask> {
  const { rows } = await client.query<{ role: string; version: number }>(
    "SELECT quote_ident(current_user) AS role, current_setting('server_version_num')::int AS version",
  )
  const { role, version } = rows[0]!
  const tables = forbidden.map(({ table }) => table)
  // The queue has a schema of its own.
  const schemas = [...new Set(forbidden.map(({ schema }) => schema))]
  const more = tables.length - MAX_NAMES_IN_NOTE
  const names = tables.slice(0, MAX_NAMES_IN_NOTE).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const grant =
    version >= 170000
      ? `GRANT MAINTAIN ON ALL TABLES IN SCHEMA ${schemas.join(', ')} TO ${role}`
      : `make ${role} a member of the role that owns the tables`
  return {
    note:
      `the role ${role} may not vacuum ${names}, so deleted rows are still in their files. Run the statement as ` +
      `their owner or as a superuser: the receipt is done then. To let this role do it from now on: ${grant}`,
    statement: `${VACUUM}) ${tables.join(', ')};`,
  }
}
