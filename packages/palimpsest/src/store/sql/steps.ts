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
  /** No step looks at its rows: what comes next need not wait for its answer. */
  readonly isUnread?: true
  /**
   * How the same statement of several sessions is sent as one: an insert of one row as one of many rows (other
   * transactions may insert the same where they are contested), a question joined to a table of its parameters, which
   * are texts. Without it each is sent by itself. Steps do it themselves: a driver need not look at this.
   */
  readonly together?: 'rows' | 'contested rows' | 'questions'
  /** Where among the parameters the text of a message stands, and its format: a database may keep it elsewhere. */
  readonly text?: TextPlace
  /** In place of SQL: what becomes of a job, in the same transaction. Where there is no queue: nothing. */
  readonly job?: QueueStep
}

/** `rowLength`: so many parameters each row has, where there are several. */
export interface TextPlace {
  readonly content: number
  readonly format: number
  readonly rowLength?: number
}

/** A fold for the workers of a queue; the end of one that was carried out; or what an erasure takes along. */
export type QueueStep =
  | { readonly send: FoldJob }
  | { readonly complete: JobClaim; readonly session: FoldJob }
  | ForgetStep

/** All jobs of a session or of a namespace; or, of a namespace, what others than we said in them. */
export type ForgetStep =
  | { readonly forget: { readonly namespace: string; readonly session: string } }
  | { readonly forget: { readonly namespace: string } }
  | { readonly words: { readonly namespace: string } }

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

/** One question, or several whose answers do not depend on one another. */
export type Asked = Query | readonly Query[]

/** Of one question its rows; of several, the rows of each. */
export type Answered = readonly Row[] | readonly (readonly Row[])[]

export type Steps<Result> = Generator<Asked, Result, Answered>

export function* all<R = Row>(sql: string, ...parameters: SqlValue[]): Steps<readonly R[]> {
  return (yield { sql, parameters }) as readonly R[]
}

export function* first<R = Row>(sql: string, ...parameters: SqlValue[]): Steps<R | undefined> {
  const rows = (yield { sql, parameters }) as readonly R[]
  return rows[0]
}

/** A question that is asked together with others; its rows are such. */
export interface Question<R> extends Query {
  readonly row?: R
}

export function ask<R = Row>(sql: string, ...parameters: SqlValue[]): Question<R> {
  return { sql, parameters }
}

/** On its way together, where there is a way: the rows of each. */
export function* askAll<const Questions extends readonly Question<unknown>[]>(
  questions: Questions,
): Steps<RowsOf<Questions>> {
  return (yield questions) as unknown as RowsOf<Questions>
}

type RowsOf<Questions extends readonly Question<unknown>[]> = {
  -readonly [Place in keyof Questions]: Questions[Place] extends Question<infer R> ? readonly R[] : never
}

export function* run(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql, parameters, isUnread: true }
}

/** A question that many sessions ask at the same time. */
export function* firstOfMany<R = Row>(sql: string, ...parameters: (string | null)[]): Steps<R | undefined> {
  const rows = (yield { sql, parameters, together: 'questions' }) as readonly R[]
  return rows[0]
}

/** An `INSERT INTO … VALUES (…)` of one row that many sessions do at the same time. */
export function* insertRow(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql, parameters, isUnread: true, together: 'rows' }
}

/** One that others may insert as well, and which is then left as it is. */
export function* insertContestedRow(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql: `${sql} ON CONFLICT DO NOTHING`, parameters, isUnread: true, together: 'contested rows' }
}

export function* enqueueFold(job: FoldJob): Steps<void> {
  yield { sql: '', parameters: [], job: { send: job } }
}

export function* completeJob(complete: JobClaim, session: FoldJob): Steps<void> {
  yield { sql: '', parameters: [], job: { complete, session } }
}

/** Also where this store fills no queue: another one may. */
export function* forgetJobs(job: ForgetStep): Steps<void> {
  yield { sql: '', parameters: [], job }
}

/**
 * Carries steps out with a binding that answers at once. What `execute` throws is thrown inside the steps, which may
 * go on with something else.
 *
 * @example
 * database.exec('BEGIN IMMEDIATE')
 * const result = runSync(steps(), ({ sql, parameters }) => database.prepare(sql).all(...parameters))
 * database.exec('COMMIT')
 */
export function runSync<Result>(steps: Steps<Result>, execute: (query: Query) => readonly Row[]): Result {
  let next = steps.next()
  while (!next.done) {
    let answered: Answered
    try {
      answered = isMany(next.value) ? next.value.map(execute) : execute(next.value)
    } catch (error) {
      next = steps.throw(error)
      continue
    }
    next = steps.next(answered)
  }
  return next.value
}

/**
 * The same with a binding that answers later. `execute` sends at once: several questions are on their way together.
 *
 * @example
 * const result = await runAsync(steps(), ({ sql, parameters }) => connection.query(sql, parameters))
 */
export async function runAsync<Result>(
  steps: Steps<Result>,
  execute: (query: Query) => Promise<readonly Row[]>,
): Promise<Result> {
  let next = steps.next()
  while (!next.done) {
    let answered: Answered
    try {
      answered = await (isMany(next.value) ? allAnswered(next.value.map(execute)) : execute(next.value))
    } catch (error) {
      next = steps.throw(error)
      continue
    }
    next = steps.next(answered)
  }
  return next.value
}

/** Nothing is under way any more when the first failure is told. */
async function allAnswered<Rows>(answers: readonly Promise<Rows>[]): Promise<readonly Rows[]> {
  await Promise.allSettled(answers)
  return Promise.all(answers)
}

export function isMany(asked: Asked): asked is readonly Query[] {
  return Array.isArray(asked)
}
