import type { Allowance, Awaits, WaitingEntry } from './inbox.ts'
import type { SessionKey } from './session-key.ts'

/** What a bot keeps of its chats: messages that wait for an answer, how often it may do what, and other names of a chat. */
export interface InboxStore {
  /**
   * What waits for an answer or for its delivery, in the order in which it came, of all sessions of a namespace:
   * nothing of what was hidden or erased. Of the messages that an append `answers`, the first stays here with its
   * `reply` until it is settled; the others go. An append that answers and is a repeat as a whole changes nothing
   * here either. An erasure withdraws the replies that may quote what it erases: those that come after a message of
   * theirs, and all in sessions that are shown memory of it. With `sessionId`: of that session alone. Pages are of one
   * reading: what was written at the same time may appear in any order, so the next reading begins anew.
   */
  readWaiting(
    namespace: string,
    page: { sessionId?: string; after?: number; limit: number },
  ): Promise<readonly WaitingEntry[]>
  /**
   * A message that is in the log waits from now on, as though it had been appended so. `false`: it waits already, or
   * cannot be seen.
   */
  awaitAnswer(key: SessionKey, change: { seq: number; awaits: Awaits; now: number }): Promise<boolean>
  /** What became of an attempt to answer, what is left out stays; nothing where the message does not wait any more. */
  noteWaiting(key: SessionKey, note: { seq: number; attempts?: number; sent?: unknown }): Promise<void>
  /** They wait no longer: the answer is delivered, or there will be none. Those that do not wait are no error. */
  settleWaiting(key: SessionKey, seqs: readonly number[]): Promise<void>
  /** How often something was done in the session lately; 0 where there is no such session. */
  countAllowance(key: SessionKey, allowance: Omit<Allowance, 'limit'>): Promise<number>
  /**
   * Counts that it is done now. `false`: it was done as often as it may be, or there is no such session, and nothing
   * has changed. Of calls at once, over all processes, no more succeed than there are left.
   */
  takeAllowance(key: SessionKey, allowance: Allowance): Promise<boolean>
  /** The name of the session that is reached under this one, too, as `addAlias` has it; `null`: there is none. */
  readAlias(key: SessionKey): Promise<string | null>
  /**
   * The session is reached under this name, too, until it is erased. Again, it changes nothing. `false`: there is no
   * such session, another one bears the name, or has it as its alias.
   */
  addAlias(key: SessionKey, alias: string): Promise<boolean>
}
