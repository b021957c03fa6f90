import type { CheckResult, CheckUpRequest } from '../check-up.ts'
import type { ScrubState } from '../erasure.ts'
import type { OnScrub } from '../store.ts'
import type { EventPlace } from './event-age.ts'
import type { SqlValue, Steps } from './steps.ts'

/**
 * A connection to a database: all that two of them do differently. Everything else exists once, in this folder.
 *
 * Its tables are those that the migrations make. Steps yield queries, whose rows a driver hands back as objects:
 * whole numbers and real ones as `number`, texts as `string`, bytes as `Uint8Array`, and `NULL` as `null`.
 */
export interface Driver {
  /** For errors and reports; without a password. */
  readonly name: string
  readonly dialect: Dialect
  /** Makes or migrates the tables where that is needed. Refuses what a newer version wrote. */
  open(): Promise<void>
  close(): Promise<void>
  /** One consistent view of the database. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /**
   * One transaction, committed when the steps end and undone when they throw. An error of which it is certain that
   * nothing was stored is marked so: see `asUndone`. May run the steps again, except with `waits: false`: then a lock
   * that another transaction holds is an error at once.
   */
  write<Result>(steps: () => Steps<Result>, options?: { readonly waits?: boolean }): Promise<Result>
  /** Overwrites what was deleted. `false`: not all of it yet, since a transaction reads what was there before, or an operator has to do it. */
  scrub(onScrub?: OnScrub): Promise<boolean>
  /** For a database that can tell afterwards what a scrub has left, whichever program scrubbed it. */
  readScrub?(erasure: { readonly namespace: string; readonly id: number }): Promise<ScrubState>
  /** What only this database has: its file, its server, its indexes. */
  checkUp?(request: CheckUpRequest): Promise<readonly CheckResult[]>
  /** A query that is a job goes to a queue. Without it such a query is answered with no rows, and does nothing. */
  readonly queuesFolds?: boolean
  /** For a database that is a file: where the list of what was erased is kept, once it is open. `null`: nowhere. */
  readonly erasedList?: string | null
}

/** What transactions that write may have to hold, each in a space of its own. */
export type LockSpace = 'session' | 'document' | 'erasure'

/** The parts of a name that no other thing in its space has. */
export type LockName = readonly (string | number)[]

/**
 * What two databases say differently in SQL; a plain object. A database whose write transaction has it for itself
 * takes `ONE_WRITER`, and adds what is its own.
 */
export interface Dialect {
  /** `one-writer`: a write transaction has the database for itself. `row-locks`: others write at the same time. */
  readonly writers: 'one-writer' | 'row-locks'
  /**
   * Until this transaction ends no other gets this lock: others wait. With `row-locks` the lock must be no row's, so
   * that waiting for it begins no transaction id: ids are in the order of the commits, as events need.
   */
  readonly lock: (space: LockSpace, name: LockName) => Steps<void>
  /** Of each whether this transaction holds it now. Waits for none. */
  readonly tryLocks: (space: LockSpace, names: readonly LockName[]) => Steps<readonly boolean[]>
  /** Ends a question about rows of one table that are then changed: without those that another transaction has locked. */
  readonly skipLocked: string
  /** Ends a question: no other transaction changes the rows of this table (by its alias) until this one ends. */
  readonly forShare: (alias: string) => string
  /** After this time a shared transaction takes no more appends in: others may be waiting for it. */
  readonly maxSharingMs: number
  /** Whether the name of a session contains a parameter, which is lower case; of its own letters those of ASCII are. */
  readonly nameContains: (parameter: string) => string
  /** How events are put in the order in which they were committed. */
  readonly events: EventOrder
  /** With `row-locks`: how one question of several sessions is asked as one. Without it each is asked by itself. */
  readonly joinQuestions?: JoinQuestions
  /** How long the text in a row of this table is, where some stand elsewhere: of such a one at least about so. */
  readonly octetsOfText?: (table: string) => string
  /** Its files may be damaged: what a session ends with is read before the first append to it. A server sees to its own. */
  readonly checksTails?: true
  /** A row that has become short keeps its room until it is taken out and put back. */
  readonly keepsRoomOfRows?: true
}

/** A condition, and its parameters, which are `?1`, `?2` and so on. */
export interface Condition {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
}

/** In SQL about the table `events`, by that name. */
export interface EventOrder {
  /** Two columns, `major` and `minor`. */
  readonly place: string
  readonly orderBy: (direction: 'ASC' | 'DESC') => string
  readonly after: (place: EventPlace) => Condition
  /** After the one, up to the other and including it. */
  readonly between: (after: EventPlace, through: EventPlace) => Condition
  /** No transaction under way can still commit an event before this one. */
  readonly isSettled: string
  /** The number of the newest event is given again once that event is deleted. */
  readonly reusesNumbers?: true
}

/**
 * A statement that asks a question once for each object of a JSON list, which is `?1`. The objects have `place` and as
 * many texts `p1`, `p2` and so on as the question has parameters; there they are called `asked.p1` and so on. Its rows
 * are those of the question, with the place of what they answer as `asked_place`.
 */
export type JoinQuestions = (question: string, parameters: number) => string
