/**
 * Database work is written once, for a synchronous and an asynchronous driver. A generator yields queries and
 * receives their rows. SQLite runs the generator without ever leaving the transaction to the event loop.
 * PostgreSQL awaits each answer. Parameters are written `?1`, `?2` … for both.
 */
export type SqlValue = string | number | null | Uint8Array
export type Row = Readonly<Record<string, SqlValue>>

export interface Query {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** No step reads the rows of this query, so the next query need not wait for its answer. */
  readonly isUnread?: true
  /**
   * How the same statement of several sessions is sent as one. Without it, each statement is sent by itself.
   *
   * - `rows`: an insert of one row becomes an insert of many rows.
   * - `contested rows`: the same, but other transactions may insert the same rows.
   * - `questions`: a question is joined to a table of its parameters, which are texts.
   *
   * The steps do this themselves, so a driver need not look at this field.
   */
  readonly together?: 'rows' | 'contested rows' | 'questions'
  /**
   * Where the text of a message and its format are among the parameters. A database may keep the text
   * elsewhere.
   */
  readonly text?: TextPlace
  /** In place of SQL: what happens to a job, in the same transaction. Without a queue, nothing happens. */
  readonly job?: QueueStep
}

/**
 * Places among the parameters. `rowLength` is the number of parameters of each row, if there are several
 * rows.
 */
export interface TextPlace {
  readonly content: number
  readonly format: number
  readonly rowLength?: number
}

/**
 * A step of the job queue: send a fold to the workers, complete a job, or remove what an erasure takes along.
 */
export type QueueStep =
  | { readonly send: FoldJob }
  | { readonly complete: JobClaim; readonly session: FoldJob }
  | ForgetStep

/**
 * `forget`: all jobs of a session or of a namespace. `words`: words in the jobs of a namespace that did not
 * come from this library.
 */
export type ForgetStep =
  | { readonly forget: { readonly namespace: string; readonly session: string } }
  | { readonly forget: { readonly namespace: string } }
  | { readonly words: { readonly namespace: string } }

/** A session to judge. The worker folds it if its policy still says so. */
export interface FoldJob {
  readonly namespace: string
  readonly id: string
}

/** A job as a worker received it. If another worker has received it since, that is another try. */
export interface JobClaim {
  readonly id: string
  readonly retryCount: number
}

/** One question, or several whose answers do not depend on one another. */
export type Asked = Query | readonly Query[]

/** The rows of one question, or the rows of each of several. */
export type Answered = readonly Row[] | readonly (readonly Row[])[]

export type Steps<Result> = Generator<Asked, Result, Answered>

export function* all<R = Row>(sql: string, ...parameters: SqlValue[]): Steps<readonly R[]> {
  return (yield { sql, parameters }) as readonly R[]
}

export function* first<R = Row>(sql: string, ...parameters: SqlValue[]): Steps<R | undefined> {
  const rows = (yield { sql, parameters }) as readonly R[]
  return rows[0]
}

/** A question that is asked together with others. `R` is the type of its rows. */
export interface Question<R> extends Query {
  readonly row?: R
}

export function ask<R = Row>(sql: string, ...parameters: SqlValue[]): Question<R> {
  return { sql, parameters }
}

/** Asks all questions at once, if the driver can. Returns the rows of each. */
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

/** An `INSERT INTO … VALUES (…)` of one row, which many sessions do at the same time. */
export function* insertRow(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql, parameters, isUnread: true, together: 'rows' }
}

/** An insert of a row that other transactions may insert too. A row that is there already stays as it is. */
export function* insertContestedRow(sql: string, ...parameters: SqlValue[]): Steps<void> {
  yield { sql: `${sql} ON CONFLICT DO NOTHING`, parameters, isUnread: true, together: 'contested rows' }
}

export function* enqueueFold(job: FoldJob): Steps<void> {
  yield { sql: '', parameters: [], job: { send: job } }
}

export function* completeJob(complete: JobClaim, session: FoldJob): Steps<void> {
  yield { sql: '', parameters: [], job: { complete, session } }
}

/** Needed even if this store fills no queue: another store may fill one. */
export function* forgetJobs(job: ForgetStep): Steps<void> {
  yield { sql: '', parameters: [], job }
}

/**
 * Carries out steps with a driver that answers at once. An error of `execute` is thrown inside the steps. The
 * steps may catch it and go on.
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
 * The same with a driver that answers later. `execute` sends at once, so several questions are on their way
 * together.
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

/** When the first failure is reported, no query is under way any more. */
async function allAnswered<Rows>(answers: readonly Promise<Rows>[]): Promise<readonly Rows[]> {
  await Promise.allSettled(answers)
  return Promise.all(answers)
}

export function isMany(asked: Asked): asked is readonly Query[] {
  return Array.isArray(asked)
}
