import type { Memo, NewSegment, Segment } from '../log/index.ts'
import type { Decision, FoldPlan, Head, Policy, RawMessage } from '../policy/index.ts'
import type { DocumentWrite } from './document.ts'
import type { Judged } from './schedule-store.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'

/** The input of a plan, read at one instant. The raw messages come oldest first and without content. */
export interface PlanSource {
  readonly session: SessionRecord
  readonly chapter: Chapter
  /** The raw messages of the chapter alone. */
  readonly raw: readonly RawMessage[]
}

/** The range that a fold may take its messages from: the log between two beginnings, at the cursor. */
export interface Chapter {
  /** 0: the chapter begins with the first message. */
  readonly afterSeq: number
  /**
   * `null`: the chapter goes on. Otherwise a later chapter has begun, and all raw messages of this one are to
   * be folded.
   */
  readonly throughSeq: number | null
}

/** Selects a part of the raw messages, beginning with the oldest. A field that is left out sets no bound. */
export interface PlanPage {
  /** Messages above this `seq`. */
  readonly after?: number
  /** Messages up to and including this `seq`. */
  readonly through?: number
  readonly limit?: number
}

export interface Lease {
  /** Grows with every acquisition. A holder with an older token can commit nothing. */
  readonly token: number
  readonly epoch: number
  readonly until: number
  /** The settings of the session itself. */
  readonly settings: Readonly<Record<string, unknown>>
  /** The decision that waited to be carried out when the lease was given. */
  readonly pending: Decision | null
  /** The result by the policy of the request. `null`: the request had no policy. */
  readonly judged: Judged | null
}

export interface FoldCommit {
  readonly key: SessionKey
  /** The caller chooses it, once for each fold. A repeat finds the earlier result and changes nothing. */
  readonly operationId: string
  readonly leaseToken: number
  readonly expectedEpoch: number
  readonly plan: FoldPlan
  /** The newest message when the range was frozen. */
  readonly head: Head
  /**
   * In the order of their level. Each segment stands for the shown segments that it absorbs. `absorbs` names
   * them by their ids. A segment of this same commit is named by its place in this list, as a negative number
   * (-1 is the first). A segment with a window has level 1 and is the only one of its commit. It stands for
   * all shown segments, and for the range if there is one.
   */
  readonly segments: readonly (NewSegment & { readonly absorbs: readonly number[] })[]
  readonly memo: Memo | null
  /** What the fold writes into chat memory and daily log. */
  readonly documents?: readonly DocumentWrite[]
  readonly outcome: Readonly<Record<string, unknown>>
  /**
   * After the commit, this policy says what is left to do. If it has judges of the caller's own, or is left
   * out, it is not asked.
   */
  readonly policy?: Policy
  readonly now: number
}

export interface FoldReceipt {
  readonly segmentIds: readonly number[]
  readonly epoch: number
  /** `true`: the operation had been committed before. */
  readonly repeated: boolean
  /**
   * What is left to do, by the commit's policy. `null` in four cases: the commit has no policy; the policy
   * has judges of the caller's own, which no transaction asks; the fold had been committed before; no message
   * is there any more.
   */
  readonly judged: Judged | null
}

/** A fold that was committed, or that failed. */
export interface FoldEvent {
  /** Grows from one event to the next. */
  readonly id: number
  readonly outcome: 'applied' | 'failed'
  readonly at: Date
  readonly fromSeq: number | null
  readonly toSeq: number | null
  /** The data of the stored event. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Folding. One holder at a time plans from the raw messages, and commits all that a fold changes at once. */
export interface FoldStore {
  /**
   * Raw messages only, the oldest of those that the page asks for. The call costs what it reads, however many
   * raw messages there are. Pages that were read in one epoch and through one `seq` are parts of one whole.
   */
  readPlan(key: SessionKey, page?: PlanPage): Promise<PlanSource | null>
  /** In the order of `fromSeq`, then of level. */
  readSegments(
    key: SessionKey,
    which: 'shown' | 'all',
    range?: { after?: number },
  ): Promise<readonly Segment[]>
  /** One segment with the segments that it stands for, oldest first. `null`: there is no such segment. */
  readSegment(
    key: SessionKey,
    id: number,
  ): Promise<{ readonly segment: Segment; readonly lower: readonly Segment[] } | null>
  /**
   * The folds that were committed or failed, the newest first. Only those with an id below `before` are
   * listed. A fork lists its own folds only.
   */
  readFolds(key: SessionKey, page: { before?: number; limit: number }): Promise<readonly FoldEvent[]>
  /**
   * Gives a lease to one holder at a time, over all processes. `null`: another holder has it now. With a
   * policy, the session is judged in the same transaction, as `judge` does it. `once`: the policy holds for
   * this time only, and what is pending and due stays as it is.
   */
  acquireLease(
    key: SessionKey,
    request: { owner: string; ttlMs: number; now: number; policy?: Policy; once?: boolean },
  ): Promise<Lease | null>
  /** Fails with a `LeaseLostError` if another holder has taken the lease since. */
  renewLease(key: SessionKey, request: { token: number; ttlMs: number; now: number }): Promise<void>
  /** Does nothing if the token is not the current one. */
  releaseLease(key: SessionKey, token: number): Promise<void>
  /**
   * Stores a fold in one transaction: segments, cursor, memo, counters, outcome and event. Three things must
   * hold: the lease token is the current one; the epoch is the expected one, or only messages above the range
   * were edited since; the range begins right above the cursor. Otherwise the call fails with a typed error,
   * and nothing has changed. The commit begins an epoch, and releases the lease.
   */
  commitFold(commit: FoldCommit): Promise<FoldReceipt>
  /**
   * Notes a failed fold with its outcome. No automatic try comes before `backoffUntil`, and none without a
   * new message. State and log stay as they are.
   */
  failFold(
    key: SessionKey,
    failure: {
      leaseToken: number
      backoffUntil: number
      outcome: Readonly<Record<string, unknown>>
      /** The newest message when the fold was decided. Left out: it is not known. */
      throughSeq?: number
      now: number
    },
  ): Promise<void>
}
