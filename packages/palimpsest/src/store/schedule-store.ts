import type { Decision, Policy, Snapshot } from '../policy/index.ts'
import type { SessionKey } from './session-key.ts'

/** What there is to do with a session. */
export interface Judged {
  /** `null`: there is no message. */
  readonly snapshot: Snapshot | null
  /** Of the built-in rules, or what was asked for from outside of them and still waits: the severest. */
  readonly decision: Decision | null
  /** When it is to be judged again, if nothing happens. */
  readonly dueAt: number | null
}

/** What may be due: to judge a session anew, to extract from it, to make segments of it anew. */
export type DueKind = 'judging' | 'extraction' | 'rebuild'

/** What there is to do with sessions, and when. */
export interface ScheduleStore {
  /** What the built-in rules say now, at the same cost for any log. Changes nothing. */
  readSnapshot(key: SessionKey, request: { policy: Policy; now: number }): Promise<Snapshot | null>
  /**
   * Judges the session anew by the built-in rules: sets the pending decision, or clears the one that
   * they had set, and sets when it is next due. A forced decision or one of the caller's own policy stays
   * until a fold has carried it out. `null` where there is no session.
   */
  judge(key: SessionKey, request: { policy: Policy; now: number }): Promise<Judged | null>
  /** A trigger from outside the rules: the caller's own policy, or a forced fold. The severest stays. */
  setPending(key: SessionKey, decision: Decision): Promise<void>
  /** In the order of `listSessions`, those above `after`. */
  listPending(namespace: string, page: { after?: string; limit: number }): Promise<readonly SessionKey[]>
  /** Sessions of which that is due at or before `now`, the longest overdue first. */
  listDue(
    namespace: string,
    page: { kind: DueKind; now: number; limit: number },
  ): Promise<readonly SessionKey[]>
  /** When that is due next in any session; `null`: in none. */
  nextDueAt(namespace: string, kind: DueKind): Promise<number | null>
}
