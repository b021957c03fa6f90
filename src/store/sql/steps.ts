/**
 * Database work written once for a synchronous and an asynchronous driver: a generator yields queries
 * and is handed their rows. SQLite runs it without ever leaving the transaction to the event loop;
 * PostgreSQL awaits each answer. Parameters are written `?1`, `?2` … in both.
 */
export type SqlValue = string | number | null | Uint8Array
export type Row = Readonly<Record<string, SqlValue>>

export interface Query {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** Nobody looks at its rows: what comes next need not wait for its answer. */
  readonly isUnread?: true
  /**
   * How the same statement of several sessions is sent as one: an insert of one row as one of many rows, a question
   * joined to a table of its parameters, which are of these types. Without it each is sent by itself.
   */
  readonly together?: 'rows' | readonly SqlType[]
  /** In place of SQL: what becomes of a job, in the same transaction. Where there is no queue: nothing. */
  readonly job?: QueueStep
}

export type SqlType = 'TEXT' | 'BIGINT'

/** A fold for whoever works through the queue; or the end of one that was carried out. */
export type QueueStep =
  | { readonly send: FoldJob }
  | { readonly complete: JobClaim; readonly session: FoldJob }

/** A session that is to be judged, and folded if its policy still says so. */
export interface FoldJob {
  readonly namespace: string
  readonly id: string
}

/** A job as it was given to a worker: one that was given to another since is another try. */
export interface JobClaim {
  readonly id: string
  readonly retryCount: number
}

export type Steps<Result> = Generator<Query, Result, readonly Row[]>

export function* all<R = Row>(sql: string, ...parameters: SqlValue[]): Steps<readonly R[]> {
  return (yield { sql, parameters }) as readonly R[]
}

export function* first<R = Row>(sql: string, ...parameters: SqlValue[]): Steps<R | undefined> {
  const rows = yield { sql, parameters }
  return rows[0] as R | undefined
}

export function* run(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql, parameters, isUnread: true }
}

/** A question that many sessions ask at the same time. */
export function* firstOfMany<R = Row>(
  sql: string,
  types: readonly SqlType[],
  ...parameters: SqlValue[]
): Steps<R | undefined> {
  const rows = yield { sql, parameters, together: types }
  return rows[0] as R | undefined
}

/** An `INSERT INTO … VALUES (…)` of one row that many sessions do at the same time. */
export function* insertRow(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql, parameters, isUnread: true, together: 'rows' }
}

export function* enqueueFold(job: FoldJob): Steps<void> {
  yield { sql: '', parameters: [], job: { send: job } }
}

export function* completeJob(complete: JobClaim, session: FoldJob): Steps<void> {
  yield { sql: '', parameters: [], job: { complete, session } }
}

export function runSync<Result>(steps: Steps<Result>, execute: (query: Query) => readonly Row[]): Result {
  let next = steps.next()
  while (!next.done) {
    let rows: readonly Row[]
    try {
      rows = execute(next.value)
    } catch (error) {
      next = steps.throw(error)
      continue
    }
    next = steps.next(rows)
  }
  return next.value
}

export async function runAsync<Result>(
  steps: Steps<Result>,
  execute: (query: Query) => Promise<readonly Row[]>,
): Promise<Result> {
  let next = steps.next()
  while (!next.done) {
    let rows: readonly Row[]
    try {
      rows = await execute(next.value)
    } catch (error) {
      next = steps.throw(error)
      continue
    }
    next = steps.next(rows)
  }
  return next.value
}
