import type { Memo, NewSegment, Segment } from '../log/index.ts'
import type { Decision, FoldPlan, Head, Policy, RawMessage } from '../policy/index.ts'
import type { DocumentWrite } from './document.ts'
import type { Judged } from './schedule-store.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'

/** What a plan is made of, read at one instant: raw messages, oldest first, without content. */
export interface PlanSource {
  readonly session: SessionRecord
  readonly chapter: Chapter
  /** Of the chapter alone. */
  readonly raw: readonly RawMessage[]
}

/** What a fold may take its messages from: the log between two beginnings, where the cursor is. */
export interface Chapter {
  /** 0: it begins with the first message. */
  readonly afterSeq: number
  /** `null`: it goes on; otherwise a later one has begun, and all that is raw of this one is to be folded. */
  readonly throughSeq: number | null
}

/** A part of the raw messages, from the oldest on. What is left out does not bound it. */
export interface PlanPage {
  /** Messages above this `seq`. */
  readonly after?: number
  /** Messages up to and including this `seq`. */
  readonly through?: number
  readonly limit?: number
}

export interface Lease {
  /** Grows with every acquisition: a holder with an older one can commit nothing. */
  readonly token: number
  readonly epoch: number
  readonly until: number
  /** Of the session itself. */
  readonly settings: Readonly<Record<string, unknown>>
  /** What waited to be carried out when it was given. */
  readonly pending: Decision | null
  /** By the given policy; `null`: none was given. */
  readonly judged: Judged | null
}

export interface FoldCommit {
  readonly key: SessionKey
  /** Chosen by the caller, once per fold: a repeat finds its earlier result and changes nothing. */
  readonly operationId: string
  readonly leaseToken: number
  readonly expectedEpoch: number
  readonly plan: FoldPlan
  /** The newest message when the range was frozen. */
  readonly head: Head
  /**
   * In order of their level. Each stands for the shown segments that it absorbs, by their ids or, for
   * those of this same commit, by their place in this list as a negative number (-1 is the first). One with a
   * window is of level 1, stands alone, for all that are shown and for the range, if there is one.
   */
  readonly segments: readonly (NewSegment & { readonly absorbs: readonly number[] })[]
  readonly memo: Memo | null
  /** What the fold leaves in chat memory and daily log. */
  readonly documents?: readonly DocumentWrite[]
  readonly outcome: Readonly<Record<string, unknown>>
  /** By which what is left to do is judged, unless it has judges of the caller's own; left out: it is not. */
  readonly policy?: Policy
  readonly now: number
}

export interface FoldReceipt {
  readonly segmentIds: readonly number[]
  readonly epoch: number
  /** The operation had been committed before. */
  readonly repeated: boolean
  /**
   * By the commit's policy; `null` where there is none, or one with judges of the caller's own, which no transaction
   * asks; where it was made before; and where there is no message any more.
   */
  readonly judged: Judged | null
}

/** A fold that was committed, or failed. */
export interface FoldEvent {
  /** Grows from one to the next. */
  readonly id: number
  readonly outcome: 'applied' | 'failed'
  readonly at: Date
  readonly fromSeq: number | null
  readonly toSeq: number | null
  /** As the event has it. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Folding: one holder at a time plans from the raw messages, and commits all that a fold changes at once. */
export interface FoldStore {
  /**
   * Raw messages only, the oldest of those that the page asks for: it costs what it reads, however many
   * there are. Pages that were read in one epoch, through one `seq`, are parts of one whole.
   */
  readPlan(key: SessionKey, page?: PlanPage): Promise<PlanSource | null>
  /** In order of `fromSeq`, then of level. */
  readSegments(
    key: SessionKey,
    which: 'shown' | 'all',
    range?: { after?: number },
  ): Promise<readonly Segment[]>
  /** One of them with those that it stands for, oldest first; `null` where there is none. */
  readSegment(
    key: SessionKey,
    id: number,
  ): Promise<{ readonly segment: Segment; readonly lower: readonly Segment[] } | null>
  /** Folds that were committed or failed, the newest first, those whose id is below `before`. Of a fork: its own. */
  readFolds(key: SessionKey, page: { before?: number; limit: number }): Promise<readonly FoldEvent[]>
  /**
   * One holder at a time over all processes; `null` while somebody else holds it. With a policy the session is judged
   * in the same transaction, as by `judge`; `once`: by a policy that holds for this time only, which leaves what is
   * pending and due as it is.
   */
  acquireLease(
    key: SessionKey,
    request: { owner: string; ttlMs: number; now: number; policy?: Policy; once?: boolean },
  ): Promise<Lease | null>
  /** `LeaseLostError` where somebody else took it since. */
  renewLease(key: SessionKey, request: { token: number; ttlMs: number; now: number }): Promise<void>
  /** Does nothing where the token is not the current one. */
  releaseLease(key: SessionKey, token: number): Promise<void>
  /**
   * Stores a fold in one transaction: segments, cursor, memo, counters, outcome and event; only if the
   * lease token is the current one, the epoch is the expected one (or only messages above the range were
   * edited since), and the range begins right above the cursor. Otherwise a typed error, and nothing has changed. Begins
   * an epoch, and lets go of the lease.
   */
  commitFold(commit: FoldCommit): Promise<FoldReceipt>
  /**
   * Notes a failed fold: what failed, and no automatic try before `backoffUntil` nor without a new message.
   * State and log stay.
   */
  failFold(
    key: SessionKey,
    failure: {
      leaseToken: number
      backoffUntil: number
      outcome: Readonly<Record<string, unknown>>
      /** The newest message when the fold was decided; left out: not known. */
      throughSeq?: number
      now: number
    },
  ): Promise<void>
}
