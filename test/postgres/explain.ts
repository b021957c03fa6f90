import pg, { type ClientBase } from 'pg'
import { inIndexOrder } from '../../packages/palimpsest/src/store/postgres/planning.ts'
import type { Query, SqlValue } from '../../packages/palimpsest/src/store/sql/steps.ts'

/** As `EXPLAIN (FORMAT JSON)` has it. */
export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

/** Planned for these parameters, or once for whatever comes, as PostgreSQL does after some executions. */
export type PlanMode = 'force_custom_plan' | 'force_generic_plan'

export async function explain(
  client: ClientBase,
  { sql, parameters }: Query,
  mode: PlanMode,
): Promise<PlanNode> {
  const text = sql.replace(/\?(\d+)/g, '$$$1')
  await client.query(`${inIndexOrder('SET')}; SET plan_cache_mode = ${mode}`)
  await client.query(`PREPARE explained AS ${text}`)
  try {
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE explained${values}`,
    )
    return rows[0]!['QUERY PLAN'][0].Plan
  } finally {
    await client.query('DEALLOCATE explained')
  }
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return pg.escapeLiteral(value)
  return `'\\x${Buffer.from(value).toString('hex')}'`
}
