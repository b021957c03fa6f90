import type pg from 'pg'
import type { Query } from '../../packages/palimpsest/src/store/sql/steps.ts'
import { explain, type PlanMode } from './explain.ts'
import { planFaults } from './plan-faults.ts'

/** What may read more than a page, and why that is all right. */
const EXCEPTIONS: readonly { readonly sql: RegExp; readonly because: string }[] = [
  {
    sql: /^SELECT layer, name AS key FROM erased_documents WHERE namespace/,
    because: 'names of erased documents, until the workspace has no file of them any more',
  },
  {
    sql: /^UPDATE documents SET mirrored_version = 0/,
    because: 'a namespace gets another folder for its files, which are then all written anew',
  },
  {
    sql: /strpos\(lower\(name/,
    because: 'no index helps to find what lies within a name; a step looks at 20,000 of them and ends',
  },
  {
    sql: /^SELECT count\(\*\) AS sessions FROM sessions WHERE namespace = \?1 AND ready = 1/,
    because: 'a copy says how much there is before it begins; nobody else counts a namespace',
  },
  {
    sql: /^DELETE FROM (leases|requests|senders) WHERE namespace = \?1/,
    because: 'a namespace is erased: each slice takes 500 rows from its beginning, and the rest are next',
  },
  {
    sql: /^SELECT namespace FROM sessions UNION SELECT|^SELECT DISTINCT list_id FROM erasures/,
    because:
      'after a restore, before anything runs, every name there is is compared with the list of what was erased',
  },
  {
    sql: /^UPDATE documents SET mirrored_version = version, mirrored_hash = NULL/,
    because: 'after a restore, once for a namespace with files',
  },
]

/** Only where no statistics were ever gathered, which PostgreSQL does by itself within a minute. */
const WITHOUT_STATISTICS: typeof EXCEPTIONS = [
  {
    sql: /^WITH wanted \(layer, name_key\)/,
    because: 'a namespace is taken for so small that its documents are read at once',
  },
]

const MODES: readonly PlanMode[] = ['force_custom_plan', 'force_generic_plan']

/**
 * What is wrong with the plans of these statements, in a schema that was filled and never analysed, and again when it
 * is: with the parameters that each had, and for whatever parameters come.
 */
export async function checkPlans(
  client: pg.ClientBase,
  queries: readonly Query[],
): Promise<readonly string[]> {
  const before = await faultsOf(client, queries, [...EXCEPTIONS, ...WITHOUT_STATISTICS])
  await client.query('ANALYZE')
  const after = await faultsOf(client, queries, EXCEPTIONS)
  return [...before.map(fault => `without statistics: ${fault}`), ...after]
}

async function faultsOf(
  client: pg.ClientBase,
  queries: readonly Query[],
  exceptions: typeof EXCEPTIONS,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const query of queries) {
    if (exceptions.some(({ sql }) => sql.test(query.sql))) continue
    for (const mode of MODES)
      for (const fault of planFaults(await explain(client, query, mode)))
        faults.push(`${fault}\n  ${query.sql.replaceAll(/\s+/g, ' ')}`)
  }
  return [...new Set(faults)]
}
