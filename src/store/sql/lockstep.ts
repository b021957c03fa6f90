import type { Query, Row, SqlType, SqlValue, Steps } from './steps.ts'

/**
 * The work of many sessions in one transaction, step by step together: where several of them come to the same
 * statement at the same time, it is sent once for all of them, if it says how. Their results, in their order.
 * What they do must not depend on one another; an error of one is an error of all.
 */
export function* inLockstep<Result>(works: readonly Steps<Result>[]): Steps<readonly Result[]> {
  const results: Result[] = []
  let waiting = works.map((steps, place) => ({ steps, place, next: steps.next() }))
  for (;;) {
    for (const { place, next } of waiting) if (next.done) results[place] = next.value
    waiting = waiting.filter(({ next }) => !next.done)
    if (waiting.length === 0) return results
    const groups = Map.groupBy(waiting, ({ next }) => (next.value as Query).sql)
    for (const group of groups.values()) {
      const answers = yield* askTogether(group.map(({ next }) => next.value as Query))
      for (const [index, each] of group.entries()) each.next = each.steps.next(answers[index]!)
    }
  }
}

function* askTogether(queries: readonly Query[]): Steps<readonly (readonly Row[])[]> {
  const together = queries[0]!.together
  if (queries.length > 1 && together === 'rows') return yield* insertTogether(queries)
  if (queries.length > 1 && together !== undefined && together !== 'rows')
    return yield* readTogether(queries, together)
  const answers: (readonly Row[])[] = []
  for (const query of queries) answers.push(yield query)
  return answers
}

/** In few sizes, so that there are few statements to prepare. */
const SIZES = [32, 16, 8, 4, 2, 1]

function* insertTogether(queries: readonly Query[]): Steps<readonly (readonly Row[])[]> {
  const { sql } = queries[0]!
  const rows = queries.map(({ parameters }) => parameters)
  // Where others may insert the same: in one order everywhere, so that no two wait for each other.
  if (sql.includes('ON CONFLICT')) rows.sort((a, b) => (String(a) < String(b) ? -1 : 1))
  let from = 0
  for (const size of SIZES)
    for (; rows.length - from >= size; from += size) {
      const parameters = rows.slice(from, from + size).flat()
      yield { sql: withRows(sql, size, rows[0]!.length), parameters, isUnread: true }
    }
  return queries.map(() => [])
}

function withRows(sql: string, rows: number, columns: number): string {
  const row = (index: number) =>
    Array.from({ length: columns }, (_, place) => `?${index * columns + place + 1}`).join(', ')
  const values = Array.from({ length: rows }, (_, index) => `(${row(index)})`).join(', ')
  return sql.replace(/VALUES \([^)]*\)/, () => `VALUES ${values}`)
}

/** Each set of parameters is a row of a table that the question is joined to. */
function* readTogether(
  queries: readonly Query[],
  types: readonly SqlType[],
): Steps<readonly (readonly Row[])[]> {
  const asked = queries.map(({ parameters }, place) =>
    Object.fromEntries([['place', place] as const, ...parameters.map(named)]),
  )
  const columns = types.map((type, index) => `p${index + 1} ${type}`).join(', ')
  const question = queries[0]!.sql.replace(/\?(\d+)/g, 'asked.p$1')
  const rows = yield {
    sql: `SELECT asked.place AS asked_place, answer.*
      FROM json_to_recordset(CAST(?1 AS JSON)) AS asked(place INTEGER, ${columns})
      CROSS JOIN LATERAL (${question}) AS answer`,
    parameters: [JSON.stringify(asked)],
  }
  const answers = queries.map((): Row[] => [])
  for (const { asked_place: place, ...row } of rows) answers[place as number]!.push(row)
  return answers
}

const named = (value: SqlValue, index: number) => [`p${index + 1}`, value] as const
