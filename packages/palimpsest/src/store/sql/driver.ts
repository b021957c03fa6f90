import type { CheckResult, CheckUpRequest } from '../check-up.ts'
import type { ScrubState } from '../erasure.ts'
import type { OnScrub } from '../store.ts'
import type { Steps } from './steps.ts'

/** All that two databases do differently. Everything else exists once, in this folder. */
export interface Driver {
  readonly name: string
  readonly dialect: Dialect
  /** A query that is a job goes to a queue. */
  readonly queuesFolds?: boolean
  /** For a database that is a file: where the list of what was erased is kept, once it is open. `null`: nowhere. */
  readonly erasedList?: string | null
  open(): Promise<void>
  close(): Promise<void>
  /** One consistent view of the database. */
  read<Result>(steps: () => Steps<Result>): Promise<Result>
  /**
   * One transaction, committed when the steps end and undone when they throw (`isUndone` tells where that is certain).
   * May run the steps again, unless it is to wait for nobody: then whoever is in the way is an error.
   */
  write<Result>(steps: () => Steps<Result>, options?: { readonly waits?: boolean }): Promise<Result>
  /** Overwrites what was deleted. `false`: not all of it yet, since a transaction reads what was there before, or an operator has to do it. */
  scrub(onScrub?: OnScrub): Promise<boolean>
  /** For a database that can tell afterwards what a scrub has left, whichever program scrubbed it. */
  readScrub?(erasure: { readonly namespace: string; readonly id: number }): Promise<ScrubState>
  /** What only this database has: its file, its server, its indexes. */
  checkUp?(request: CheckUpRequest): Promise<readonly CheckResult[]>
}

export interface Dialect {
  /** Rows are locked one by one; otherwise a write transaction has the database for itself. */
  readonly locksSessions: boolean
  /** The sessions that this transaction writes are locked already. */
  readonly holdsSessions?: true
  /** Its files may be damaged: what a session ends with is read before the first append to it. A server sees to its own. */
  readonly checksTails?: true
  /** After this time a shared transaction takes no more appends in: others may be waiting for it. */
  readonly longestSharingMs: number
  /** Whether the name of a session contains a parameter, which is lower case; of its own letters those of ASCII are. */
  readonly nameContains: (parameter: string) => string
  /** How long the text in a row of this table is: of one that stands elsewhere, at least about so. */
  readonly octetsOfText: (table: string) => string
  /** Events that no transaction under way can still precede, after a position, in order. */
  readonly readEvents: string
  /** Where the newest of them is, and when it was, whether its session is still there or not. */
  readonly readLastPosition: string
  /** The two numbers of a position in those queries, and back. */
  readonly eventPosition: (row: { readonly major: number; readonly minor: number }) => string
}
