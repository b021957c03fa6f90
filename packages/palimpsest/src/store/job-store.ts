import type { Policy } from '../policy/index.ts'
import type { SessionKey } from './session-key.ts'

/** Folds as jobs of a queue, for workers. */
export interface JobStore {
  /**
   * Makes jobs of sessions that are due at or before `now`, in any namespace, at most `limit`. These sessions
   * are not due any more then. Answers with the number of sessions. Without a queue it changes nothing.
   */
  enqueueDue(request: { now: number; limit: number }): Promise<number>
  /**
   * Makes jobs of pending sessions, in any namespace. It is for sessions whose job was lost; no session gets
   * two jobs. It works page by page: the answer is the `after` of the next page, or `null` after the last
   * one. Without a queue it changes nothing.
   */
  enqueuePending(page: { after: SessionKey | null; limit: number }): Promise<SessionKey | null>
  /**
   * For the worker that carries out a job. It judges as `judge` does. If nothing is left to do, it ends the
   * job in the same transaction, so that no trigger is lost between the two steps. `false`: there is more to
   * do, and the job is not ended.
   */
  endFoldJob(
    key: SessionKey,
    request: { policy: Policy; now: number; claim: { id: string; retryCount: number } },
  ): Promise<boolean>
}
