import type { Policy } from '../policy/index.ts'
import type { SessionKey } from './session-key.ts'

/** Folds as jobs of a queue, for workers. */
export interface JobStore {
  /**
   * Makes jobs of sessions of any namespace that are due at or before `now`, at most so many, which are due no more then;
   * gives how many. Without a queue it changes nothing.
   */
  enqueueDue(request: { now: number; limit: number }): Promise<number>
  /**
   * Makes jobs of sessions of any namespace that are pending, for those whose job was lost: nobody gets two. Page by
   * page: gives the `after` of the next one, `null` after the last. Without a queue it changes nothing.
   */
  enqueuePending(page: { after: SessionKey | null; limit: number }): Promise<SessionKey | null>
  /**
   * For whoever carries out a job: judges as `judge` does, and where nothing is to be done ends the job in the same
   * transaction, so that no trigger falls between the two. `false`: there is more to do, and the job is not ended.
   */
  endFoldJob(
    key: SessionKey,
    request: { policy: Policy; now: number; claim: { id: string; retryCount: number } },
  ): Promise<boolean>
}
