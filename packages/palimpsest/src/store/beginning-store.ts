import type { Policy } from '../policy/index.ts'
import type { Judged } from './schedule-store.ts'
import type { SessionKey } from './session-key.ts'

/** A place in the log after which contexts begin anew. */
export interface Beginning {
  /** The newest message when it was made: it lies before it. */
  readonly afterSeq: number
  readonly at: Date
}

export interface BegunAnew {
  readonly beginning: Beginning
  /** What there is to do then. */
  readonly judged: Judged
}

/** The places in a log after which contexts begin anew. */
export interface BeginningStore {
  /**
   * From now on contexts begin after the newest message, or after `afterSeq` where others came since (at the cursor, if
   * it lies inside the folded part), and no fold reaches over that place; what is raw before it is
   * to be folded. Counters of the policy begin anew. Begins an epoch: a fold in flight is refused. `null`: nothing was
   * said since the newest beginning, so nothing has changed. A rollback to before it takes it back; a fork, a copy and a
   * file have it.
   */
  beginAnew(
    key: SessionKey,
    change: { afterSeq?: number; policy: Policy; now: number },
  ): Promise<BegunAnew | null>
  /**
   * Takes the newest beginning back, and what was folded because of it, if nothing after it is folded yet. Begins an
   * epoch. `null`: there is none.
   */
  takeBackBeginning(key: SessionKey, change: { policy: Policy; now: number }): Promise<BegunAnew | null>
  /** Oldest first. */
  readBeginnings(key: SessionKey): Promise<readonly Beginning[]>
}
