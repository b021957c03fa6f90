import type { DocumentWrite, ScopeLearnsFrom } from './document.ts'
import type { SessionKey } from './session-key.ts'

/** The rules for when user and scope memory are extracted. */
export interface ExtractionRules {
  /**
   * `turn`: after each complete turn. `batch`: after `batchMessages` messages, or when the session falls
   * silent. `off`: never.
   */
  readonly when: 'turn' | 'batch' | 'off'
  readonly batchMessages: number
  /** How long a silence must be. It must be `longIdleMs` if less than a quarter of a batch has come. */
  readonly idleMs: number
  /** Left out: no longer than `idleMs`. */
  readonly longIdleMs?: number
  /** Left out: `shared`. */
  readonly scopeLearnsFrom?: ScopeLearnsFrom
}

/** What was extracted from a range of messages. It is stored together with its cursor, or not at all. */
export interface ExtractionCommit {
  readonly key: SessionKey
  /** The token of the lease `extraction/{session}`. */
  readonly leaseToken: number
  /** The cursor as it was when the messages were read. */
  readonly after: number
  readonly through: number
  /**
   * The messages that were read between the two: their number, and the sum of their versions. If these
   * figures are different now, the commit is void.
   */
  readonly read: { readonly messages: number; readonly versions: number }
  /**
   * Messages that were edited after their first reading, and were read again now. The cursor stays where it
   * is then.
   */
  readonly relearned?: readonly { readonly seq: number; readonly version: number }[]
  readonly documents: readonly DocumentWrite[]
  /**
   * Messages that their speaker has taken back. They may lie below the cursor. After the writes, the lines
   * that extractions learned from them are removed from these documents. A line that such a line had replaced
   * holds again.
   */
  readonly takenBack?: readonly number[]
  readonly rules: ExtractionRules
  readonly now: number
}

/** Stores what user and scope memory learn from a log. */
export interface ExtractionStore {
  /** Stores what was extracted. The call fails if the cursor, the lease or the messages have changed. */
  commitExtraction(commit: ExtractionCommit): Promise<void>
  /** When the extraction of a session is due by the present rules. `null`: there is nothing to extract. */
  judgeExtraction(key: SessionKey, request: { rules: ExtractionRules; now: number }): Promise<number | null>
  /** Nothing is extracted before `retryAt`. `null`: nothing is extracted before the next message. */
  failExtraction(key: SessionKey, failure: { retryAt: number | null }): Promise<void>
}
