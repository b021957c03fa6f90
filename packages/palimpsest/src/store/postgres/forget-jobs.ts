import type { ClientBase } from 'pg'
import type { ForgetStep } from '../sql/steps.ts'
import { jobsSchema } from './boss.ts'

/** Under this name a worker says why a job failed, in words of the program itself. */
export const FOLD_JOB_ERROR = 'FoldJobError'

/** What an earlier version wrote here may hold words that a person said. */
const IS_FOREIGN = (column: string) =>
  `(${column} IS NOT NULL AND ${column}->>'name' IS DISTINCT FROM '${FOLD_JOB_ERROR}')`

/**
 * Removes jobs together with what they name, in the transaction of the erasure. It removes all of them: those
 * that wait, are under way, are done or were given up. The store that erases need not be the one that fills
 * the queue. If there is no queue, nothing is to be done.
 */
export async function forgetJobs(client: ClientBase, schema: string, step: ForgetStep): Promise<void> {
  const table = `${jobsSchema(schema)}.job`
  const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1)::text AS found', [
    table,
  ])
  if (rows[0]?.found == null) return
  if ('words' in step) await client.query(blank(table), [step.words.namespace])
  else if ('session' in step.forget)
    await client.query(`DELETE FROM ${table} WHERE data->>'namespace' = $1 AND data->>'id' = $2`, [
      step.forget.namespace,
      step.forget.session,
    ])
  else await client.query(`DELETE FROM ${table} WHERE data->>'namespace' = $1`, [step.forget.namespace])
}

function blank(table: string): string {
  return `UPDATE ${table} SET output = NULL, source_output = NULL
    WHERE data->>'namespace' = $1 AND (${IS_FOREIGN('output')} OR ${IS_FOREIGN('source_output')})`
}
