import type { CheckResult, CheckUpRequest } from '../check-up.ts'
import type { ScrubState } from '../erasure.ts'
import type { OnScrub } from '../store.ts'
import type { EventPlace } from './event-age.ts'
import type { SqlValue, Steps } from './steps.ts'

/**
 * A connection to a database. It holds everything that differs between two databases. All the rest exists
 * once, in this folder.
 *
 * The migrations make the tables. Steps yield queries, and the driver returns their rows as objects. Whole
 * and real numbers are `number`, texts are `string`, bytes are `Uint8Array`, and `NULL` is `null`.
 */
export interface Driver {
  /** For errors and reports; without a password. */
  readonly name: string
  readonly dialect: Dialect
  /** Makes or migrates the tables if needed. Refuses a database that a newer version wrote. */
  open(): Promise<void>
  close(): Promise<void>
  /** One consistent view of the database. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /**
   * One transaction. It is committed when the steps end, and undone when they throw. If it is certain that
   * nothing was stored, the error is marked so: see `asUndone`. The driver may run the steps again, except
   * with `waits: false`: then a lock that another transaction holds is an error at once.
   */
  write<Result>(steps: () => Steps<Result>, options?: { readonly waits?: boolean }): Promise<Result>
  /**
   * Overwrites what was deleted. `false`: some of it is still there, because a transaction still reads the
   * old state, or because an operator has to do it.
   */
  scrub(onScrub?: OnScrub): Promise<boolean>
  /** For a database that can tell afterwards what a scrub has left, even if another program did the scrub. */
  readScrub?(erasure: { readonly namespace: string; readonly id: number }): Promise<ScrubState>
  /** Checks for what only this database has: its file, its server, its indexes. */
  checkUp?(request: CheckUpRequest): Promise<readonly CheckResult[]>
  /**
   * `true`: a query with a `job` goes to a queue. Otherwise such a query does nothing and returns no rows.
   */
  readonly queuesFolds?: boolean
  /**
   * For a database that is a file: where the list of erasures is kept, once the database is open. `null`:
   * nowhere.
   */
  readonly erasedList?: string | null
}

/** Kinds of locks that a writing transaction may need. Each kind has its own space of names. */
export type LockSpace = 'session' | 'document' | 'erasure'

/** The parts of a lock's name. The name is unique in its space. */
export type LockName = readonly (string | number)[]

/**
 * What two databases say differently in SQL. It is a plain object. A database whose write transaction has the
 * whole database for itself takes `ONE_WRITER` and adds its own parts.
 */
export interface Dialect {
  /**
   * `one-writer`: a write transaction has the database for itself. `row-locks`: others write at the same
   * time.
   */
  readonly writers: 'one-writer' | 'row-locks'
  /**
   * Takes a lock until this transaction ends; other transactions wait for it. With `row-locks` the lock must
   * not be a row's lock, so that waiting for it assigns no transaction id. Events need the ids in the order
   * of the commits.
   */
  readonly lock: (space: LockSpace, name: LockName) => Steps<void>
  /** Tries to take each lock and waits for none. Returns, for each, whether this transaction holds it now. */
  readonly tryLocks: (space: LockSpace, names: readonly LockName[]) => Steps<readonly boolean[]>
  /**
   * Ends a query of one table whose rows are changed next. The query leaves out rows that another transaction
   * has locked.
   */
  readonly skipLocked: string
  /**
   * Ends a query. Until this transaction ends, no other transaction changes the rows of the table with this
   * alias.
   */
  readonly forShare: (alias: string) => string
  /**
   * After this time a shared transaction takes in no more appends, because other transactions may be waiting
   * for it.
   */
  readonly maxSharingMs: number
  /**
   * Tests whether the name of a session contains a parameter. The parameter is lower case. Of the name, only
   * the ASCII letters are made lower case.
   */
  readonly nameContains: (parameter: string) => string
  /** How to put events in the order in which they were committed. */
  readonly events: EventOrder
  /**
   * With `row-locks`: how one question of several sessions is asked as one. Without it, each is asked by
   * itself.
   */
  readonly joinQuestions?: JoinQuestions
  /**
   * The length in bytes of a text in a row of this table, if some texts are stored elsewhere. A text that is
   * stored elsewhere has at least about this length.
   */
  readonly octetsOfText?: (table: string) => string
  /**
   * The database files may be damaged. So the end of a session is read before the first append to it. A
   * database server checks its own files.
   */
  readonly checksTails?: true
  /** A row that became shorter keeps its old room until it is deleted and inserted again. */
  readonly keepsRoomOfRows?: true
}

/** A condition and its parameters, which are `?1`, `?2` and so on. */
export interface Condition {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
}

/** SQL about the table `events`, which has that name in the query. */
export interface EventOrder {
  /** Two columns, `major` and `minor`. */
  readonly place: string
  readonly orderBy: (direction: 'ASC' | 'DESC') => string
  readonly after: (place: EventPlace) => Condition
  /** After the first place, up to and including the second. */
  readonly between: (after: EventPlace, through: EventPlace) => Condition
  /** True if no transaction under way can still commit an event before this one. */
  readonly isSettled: string
  /** If the newest event is deleted, its number is given to the next event. */
  readonly reusesNumbers?: true
}

/**
 * Makes a statement that asks a question once for each object of a JSON list, which is `?1`. Each object has
 * a `place` and one text for each parameter of the question: `p1`, `p2` and so on. The question names them
 * `asked.p1` and so on. The rows are those of the question. `asked_place` says which object a row answers.
 */
export type JoinQuestions = (question: string, parameters: number) => string
