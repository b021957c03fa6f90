import type { Policy } from '../policy/index.ts'
import type { Judged } from './schedule-store.ts'
import type { SessionKey } from './session-key.ts'

/** A place in the log after which contexts begin anew. */
export interface Beginning {
  /** The last message before the beginning: the newest one when the beginning was made. */
  readonly afterSeq: number
  readonly at: Date
}

export interface BegunAnew {
  readonly beginning: Beginning
  /** What is due for the session after the change. */
  readonly judged: Judged
}

/** The places in a log after which contexts begin anew. */
export interface BeginningStore {
  /**
   * From now on contexts begin after the newest message. The caller may give `afterSeq`, because newer
   * messages may have come since the caller looked: then contexts begin after that message. If `afterSeq`
   * lies inside the folded part, contexts begin at the cursor. No fold reaches over the beginning, and the
   * raw messages before it are to be folded. The counters of the policy start again. The change begins an
   * epoch: a fold in flight is refused. `null`: no message has come since the newest beginning, so nothing
   * has changed. A rollback to a message before the beginning takes the beginning back. A fork, a copy and an
   * exported file keep it.
   */
  beginAnew(
    key: SessionKey,
    change: { afterSeq?: number; policy: Policy; now: number },
  ): Promise<BegunAnew | null>
  /**
   * Takes the newest beginning back. The folds that were made because of it are taken back too, unless a
   * message after the beginning is folded already. The change begins an epoch. `null`: there is no beginning.
   */
  takeBackBeginning(key: SessionKey, change: { policy: Policy; now: number }): Promise<BegunAnew | null>
  /** The oldest beginning comes first. */
  readBeginnings(key: SessionKey): Promise<readonly Beginning[]>
}
