import { all, type SqlValue, type Steps } from './steps.ts'

export const ROWS_AT_A_TIME = 500

/**
 * Deletes at most `ROWS_AT_A_TIME` rows, which are known by their key columns. Returns the asked columns of
 * the deleted rows.
 */
export function* deleteSome<R = object>(
  {
    table,
    where,
    key,
    returning = '1 AS gone',
  }: {
    table: string
    where: string
    key: string
    returning?: string
  },
  ...parameters: SqlValue[]
): Steps<readonly R[]> {
  return yield* all<R>(
    `DELETE FROM ${table} WHERE ${where} AND (${key}) IN (
       SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${ROWS_AT_A_TIME}) RETURNING ${returning}`,
    ...parameters,
  )
}
