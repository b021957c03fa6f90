import type { DocumentWrite, ScopeLearnsFrom } from './document.ts'
import type { SessionKey } from './session-key.ts'

/** When user and scope memory are extracted. */
export interface ExtractionRules {
  /** `turn`: after each complete turn. `batch`: after so many messages, or when the session falls silent. */
  readonly when: 'turn' | 'batch' | 'off'
  readonly batchMessages: number
  /** How long a silence is; for less than a quarter of a batch it has to be longer. */
  readonly idleMs: number
  /** Left out: no longer. */
  readonly longIdleMs?: number
  /** Left out: `shared`. */
  readonly scopeLearnsFrom?: ScopeLearnsFrom
}

/** What was extracted from a range of messages: stored with its cursor, or not at all. */
export interface ExtractionCommit {
  readonly key: SessionKey
  /** Of the lease `extraction/{session}`. */
  readonly leaseToken: number
  /** The cursor as it was. */
  readonly after: number
  readonly through: number
  /** How many messages were read between them, and the sum of their versions: if they are others now, it is void. */
  readonly read: { readonly messages: number; readonly versions: number }
  /** Messages that were edited since they were read first, and read again; the cursor stays then. */
  readonly relearned?: readonly { readonly seq: number; readonly version: number }[]
  readonly documents: readonly DocumentWrite[]
  /**
   * Messages, below the cursor too, that their speaker has taken back: what extractions learned from them goes from these
   * documents, behind the writes, and what it had replaced holds again.
   */
  readonly takenBack?: readonly number[]
  readonly rules: ExtractionRules
  readonly now: number
}

/** What user and scope memory learn from a log. */
export interface ExtractionStore {
  /** Stores what was extracted; an error where the cursor, the lease or the messages are others now. */
  commitExtraction(commit: ExtractionCommit): Promise<void>
  /** When the extraction of a session is due, by the rules as they are now; `null`: there is nothing to extract. */
  judgeExtraction(key: SessionKey, request: { rules: ExtractionRules; now: number }): Promise<number | null>
  /** Nothing is extracted before `retryAt`; `null`: before the next message. */
  failExtraction(key: SessionKey, failure: { retryAt: number | null }): Promise<void>
}
