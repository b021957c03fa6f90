import type { ClientBase } from 'pg'
import { jobsSchema } from './boss.ts'
import { isTransient } from './errors.ts'
import { dropTimeouts } from './timeouts.ts'

/**
 * For its planner, the server copies values out of the columns of a table (`pg_stats`: the most common
 * values, and a sample of all). `ANALYZE` does that, and the server runs it by itself. The copies stay when
 * their rows are erased, even when the table is empty. So for columns that may hold words or names of people,
 * copying is switched off (`SET STATISTICS 0`). Our statements are planned by their indexes and need no such
 * values (`planning.ts`).
 *
 * The switch does not remove the copies that exist, and another `ANALYZE` does not either. Since PostgreSQL
 * 18 a function removes them. On earlier versions the owner states the type of the column again. That
 * rewrites nothing except indexes with an expression or a condition on the column, and the copies go.
 */

/** Columns that hold only words of the program itself. */
const KEPT = ['namespace', 'layer', 'day', 'kind', 'stage']
/** In the tables of the queue: the columns that say which session it is, and what came of the job. */
const OF_JOBS = ['data', 'output', 'source_output']

/** A statement that waits longer gives way: all writers of the table would wait behind it. */
const LOCK_TIMEOUT_MS = 2_000
const CLEARS_BY_FUNCTION = 180000

interface NotedColumn {
  readonly schema: string
  /** A table, or an index with an expression. */
  readonly relation: string
  readonly column: string
  /**
   * Names as statements write them: the relation; its table; the table that this one is a part of; the
   * column.
   */
  readonly name: string
  readonly table: string
  readonly root: string
  readonly ident: string
  /** The number of the column in the index. */
  readonly number: number
  readonly type: string
  readonly isIndex: boolean
  readonly isOff: boolean
  readonly hasValues: boolean
  readonly isOwner: boolean
  readonly mayClear: boolean
  readonly version: number
}

/**
 * The server does not show the expression of an index to a role that does not own the index. For such a role,
 * the query assumes that values are kept, until the owner has switched them off.
 */
const COLUMNS = `
  SELECT n.nspname AS schema, c.relname AS relation, a.attname AS column, a.attnum AS number,
    format('%I.%I', n.nspname, c.relname) AS name, format('%I.%I', n.nspname, t.relname) AS table,
    format('%I.%I', n.nspname, coalesce(root.relname, t.relname)) AS root, quote_ident(a.attname) AS ident,
    format_type(a.atttypid, a.atttypmod) ||
      CASE WHEN a.attcollation NOT IN (0, 100) THEN ' COLLATE ' || CAST(CAST(a.attcollation AS regcollation) AS TEXT) ELSE '' END
      AS type,
    i.indexrelid IS NOT NULL AS "isIndex",
    coalesce(a.attstattarget, -1) = 0 AS "isOff",
    values.attname IS NOT NULL
      OR i.indexrelid IS NOT NULL AND coalesce(a.attstattarget, -1) <> 0 AND NOT pg_has_role(t.relowner, 'USAGE')
      AS "hasValues",
    pg_has_role(t.relowner, 'USAGE') AS "isOwner",
    pg_has_role(t.relowner, 'USAGE') OR
      CASE WHEN current_setting('server_version_num')::int >= ${CLEARS_BY_FUNCTION}
        THEN has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(t.oid, 'MAINTAIN') ELSE false END AS "mayClear",
    current_setting('server_version_num')::int AS version
  FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid LEFT JOIN pg_index i ON i.indexrelid = c.oid
    JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid) JOIN pg_attribute a ON a.attrelid = c.oid
    LEFT JOIN pg_class root ON root.oid = pg_partition_root(t.oid)
    LEFT JOIN (VALUES_READ) AS values
      ON values.schemaname = n.nspname AND values.tablename = c.relname AND values.attname = a.attname
  WHERE n.nspname = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped
    AND a.atttypid IN (CAST('text' AS regtype), CAST('bytea' AS regtype), CAST('jsonb' AS regtype))
    AND CASE WHEN n.nspname = $1[1] THEN a.attname <> ALL($2) ELSE a.attname = ANY($3) END
    AND (c.relkind IN ('r', 'p') OR c.relkind = 'i' AND i.indkey[a.attnum - 1] = 0)
  ORDER BY 1, t.relname, i.indexrelid IS NOT NULL, c.relname, a.attnum`

const VALUES = `SELECT DISTINCT schemaname, tablename, attname FROM pg_stats WHERE schemaname = ANY($1)
  AND coalesce(CAST(most_common_vals AS TEXT), CAST(histogram_bounds AS TEXT)) IS NOT NULL`
/**
 * To read the values takes the longer part of the query, and most callers that open a database do not need
 * them.
 */
const NO_VALUES =
  'SELECT CAST(NULL AS name) AS schemaname, CAST(NULL AS name) AS tablename, CAST(NULL AS name) AS attname'

async function readColumns(
  client: ClientBase,
  schema: string,
  values = VALUES,
): Promise<readonly NotedColumn[]> {
  const schemas = [schema, jobsSchema(schema)]
  const sql = COLUMNS.replace('VALUES_READ', values)
  const { rows } = await client.query<NotedColumn>(sql, [schemas, KEPT, OF_JOBS])
  return rows
}

const isToSwitch = ({ isOff, isOwner }: NotedColumn) => !isOff && isOwner

/** The columns of which the server keeps values. */
export async function listNotedColumns(client: ClientBase, schema: string): Promise<readonly NotedColumn[]> {
  return (await readColumns(client, schema)).filter(({ hasValues }) => hasValues)
}

/**
 * Stops the copying of values from now on. It works for the owner of the tables, at each opening; another
 * role changes nothing. Its lock stops only a vacuum; if a vacuum is in the way, the next opening does the
 * work. Existing copies are removed in the same step if that takes no other lock, and otherwise by the next
 * erasure.
 */
export async function switchStatisticsOff(client: ClientBase, schema: string): Promise<void> {
  if (!(await readColumns(client, schema, NO_VALUES)).some(isToSwitch)) return
  const columns = (await readColumns(client, schema)).filter(isToSwitch)
  const noted = columns.filter(({ hasValues }) => hasValues)
  const clearing = hasFunction(columns) ? clearStatements(noted, columns) : []
  // For an index that is switched off, the query assumes that no values are kept.
  const switched = hasFunction(columns)
    ? columns
    : columns.filter(({ isIndex, hasValues }) => !(isIndex && hasValues))
  await change(client, [...clearing, ...[...byTable(switched)].flatMap(offStatements)])
}

/** Removes the copies as far as this role may, one table at a time. `true`: there was something to remove. */
export async function clearStatistics(client: ClientBase, schema: string): Promise<boolean> {
  const columns = await readColumns(client, schema)
  let isCleared = false
  for (const table of byTable(columns)) {
    const noted = table.filter(({ hasValues, mayClear }) => hasValues && mayClear)
    if (noted.length === 0) continue
    const switched = table.filter(({ isOwner, isOff, hasValues }) => isOwner && (!isOff || hasValues))
    await change(client, [...clearStatements(noted, table), ...offStatements(switched)])
    isCleared = true
  }
  return isCleared
}

/** The statement for the owner or a superuser that settles this for good. */
export async function statisticsStatement(client: ClientBase, schema: string): Promise<string> {
  const columns = await readColumns(client, schema)
  const statements = [...byTable(columns)].flatMap(table => [
    ...clearStatements(
      table.filter(({ hasValues }) => hasValues),
      table,
    ),
    ...offStatements(table.filter(({ isOff, hasValues }) => !isOff || hasValues)),
  ])
  return `${statements.join('; ')};`
}

function byTable(columns: readonly NotedColumn[]): Iterable<readonly NotedColumn[]> {
  return Map.groupBy(columns, ({ table }) => table).values()
}

function hasFunction([any]: readonly NotedColumn[]): boolean {
  return any !== undefined && any.version >= CLEARS_BY_FUNCTION
}

function clearStatements(noted: readonly NotedColumn[], table: readonly NotedColumn[]): readonly string[] {
  const [one] = noted
  if (one === undefined) return []
  if (hasFunction(noted))
    return noted.flatMap(({ schema, relation, column }) =>
      // One call is for the table itself, one for all its parts together.
      ['false', 'true'].map(
        inherited =>
          `SELECT pg_catalog.pg_clear_attribute_stats('${schema}', '${relation}', '${column}', ${inherited})`,
      ),
    )
  // The copies of an index go with the copies of the columns that it is made of.
  const typed = noted.some(({ isIndex }) => isIndex) ? table : noted
  const types = typed
    .filter(({ isIndex }) => !isIndex)
    .map(({ ident, type }) => `ALTER COLUMN ${ident} TYPE ${type}`)
  return [`ALTER TABLE ${one.root} ${types.join(', ')}`]
}

/** When a column gets its type again, its index is made anew. So indexes are switched off last. */
function offStatements(columns: readonly NotedColumn[]): readonly string[] {
  const [ofIndexes, ofTable] = [
    columns.filter(({ isIndex }) => isIndex),
    columns.filter(({ isIndex }) => !isIndex),
  ]
  const each = ofTable.map(({ ident }) => `ALTER COLUMN ${ident} SET STATISTICS 0`)
  return [
    ...(each.length === 0 ? [] : [`ALTER TABLE ${ofTable[0]!.table} ${each.join(', ')}`]),
    ...ofIndexes.map(({ name, number }) => `ALTER INDEX ${name} ALTER COLUMN ${number} SET STATISTICS 0`),
  ]
}

async function change(client: ClientBase, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return
  await client.query('BEGIN')
  try {
    await dropTimeouts(client)
    await client.query([`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`, ...statements].join('; '))
    await client.query('COMMIT')
  } catch (error) {
    // If the connection is gone, so is the transaction.
    await client.query('ROLLBACK').catch(() => {})
    if (!isTransient(error)) throw error
  }
}
