import type { Decision, Policy, Snapshot } from '../policy/index.ts'
import type { SessionKey } from './session-key.ts'

/** What is due for a session. */
export interface Judged {
  /** `null`: the session has no message. */
  readonly snapshot: Snapshot | null
  /**
   * The severest of two: the decision of the built-in rules, and one that still waits and came from outside
   * of the rules.
   */
  readonly decision: Decision | null
  /** When the session is to be judged again, if nothing happens before. `null`: never. */
  readonly dueAt: number | null
}

/**
 * Kinds of work that may be due: to judge a session anew, to extract from it, to make segments of it anew.
 */
export type DueKind = 'judging' | 'extraction' | 'rebuild'

/** What is due for sessions, and when. */
export interface ScheduleStore {
  /** What the built-in rules see now. It costs the same for a log of any length, and changes nothing. */
  readSnapshot(key: SessionKey, request: { policy: Policy; now: number }): Promise<Snapshot | null>
  /**
   * Judges the session anew by the built-in rules. It sets the pending decision, or clears the decision that
   * the rules had set. It also sets when the session is due next. A forced decision, or one of the caller's
   * own policy, stays until a fold has carried it out. `null`: there is no session.
   */
  judge(key: SessionKey, request: { policy: Policy; now: number }): Promise<Judged | null>
  /**
   * Sets a trigger from outside of the rules: by the caller's own policy, or a forced fold. The severest
   * decision stays.
   */
  setPending(key: SessionKey, decision: Decision): Promise<void>
  /** In the order of `listSessions`. Only sessions above `after` are listed. */
  listPending(namespace: string, page: { after?: string; limit: number }): Promise<readonly SessionKey[]>
  /** The sessions for which this kind of work is due at or before `now`. The longest overdue comes first. */
  listDue(
    namespace: string,
    page: { kind: DueKind; now: number; limit: number },
  ): Promise<readonly SessionKey[]>
  /** When this kind of work is due next in any session. `null`: in no session. */
  nextDueAt(namespace: string, kind: DueKind): Promise<number | null>
}
