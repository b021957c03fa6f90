import type { RebuiltSegment, WithheldSegment } from './erasure.ts'
import type { SessionKey } from './session-key.ts'

/** What a session has to make anew since messages were edited. */
export interface OutdatedWork {
  /** The first that tells of a message as it was, of those before others that stand for them; `null`: none does any more. */
  readonly segment: WithheldSegment | null
  readonly dueAt: number
  /** How often it has failed in a row. */
  readonly failures: number
}

/** Segments that are to be made anew, since messages under them were edited or erased. */
export interface RebuildStore {
  /**
   * Segments that are to be made anew, within a session those before others that stand for them: `nothing`, those that say nothing yet;
   * `extract`, those that wait for a proper summary.
   */
  listWithheld(
    namespace: string,
    page: { left: 'nothing' | 'extract'; limit: number },
  ): Promise<readonly WithheldSegment[]>
  /**
   * What a withheld segment says from now on. `false`: the session is another one by now, or the segment is not withheld;
   * read again. Begins an epoch, and folds in flight are void. A provisional segment stays so.
   */
  commitRebuilt(key: SessionKey, rebuilt: RebuiltSegment): Promise<boolean>
  /** What is to be made anew since messages were edited; `null`: nothing is. */
  readOutdated(key: SessionKey): Promise<OutdatedWork | null>
  /** Where no segment tells of a message as it was any more: no correction is told any longer. Begins an epoch. */
  endCorrections(key: SessionKey, request: { leaseToken: number }): Promise<void>
  /** Making a segment anew has failed: not before `retryAt` is it tried again. */
  failRebuild(key: SessionKey, failure: { leaseToken: number; retryAt: number }): Promise<void>
}
