import type { RebuiltSegment, WithheldSegment } from './erasure.ts'
import type { SessionKey } from './session-key.ts'

/** What a session has to make anew, because messages were edited. */
export interface OutdatedWork {
  /**
   * The first segment that still tells a message in its earlier form. A segment comes before the segments
   * that stand for it. `null`: no segment does any more.
   */
  readonly segment: WithheldSegment | null
  readonly dueAt: number
  /** How often it has failed in a row. */
  readonly failures: number
}

/** Segments that are to be made anew, because messages under them were edited or erased. */
export interface RebuildStore {
  /**
   * Segments that are to be made anew. Within a session, a segment comes before the segments that stand for
   * it. `nothing`: segments without any text for now. `extract`: segments that wait for a proper summary.
   */
  listWithheld(
    namespace: string,
    page: { left: 'nothing' | 'extract'; limit: number },
  ): Promise<readonly WithheldSegment[]>
  /**
   * Stores what a withheld segment says from now on. `false`: the session has changed, or the segment is not
   * withheld; read again. The call begins an epoch, and folds in flight are void. A provisional segment stays
   * provisional.
   */
  commitRebuilt(key: SessionKey, rebuilt: RebuiltSegment): Promise<boolean>
  /** What is to be made anew because messages were edited. `null`: nothing. */
  readOutdated(key: SessionKey): Promise<OutdatedWork | null>
  /**
   * For a session in which no segment tells a message in its earlier form any more: contexts stop telling the
   * corrections. The call begins an epoch.
   */
  endCorrections(key: SessionKey, request: { leaseToken: number }): Promise<void>
  /** Notes that making a segment anew has failed. No try comes before `retryAt`. */
  failRebuild(key: SessionKey, failure: { leaseToken: number; retryAt: number }): Promise<void>
}
