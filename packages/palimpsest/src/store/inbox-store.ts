import type { Allowance, Awaits, WaitingEntry } from './inbox.ts'
import type { SessionKey } from './session-key.ts'

/**
 * Keeps three things for the chats of a bot: messages that wait for an answer, how often something was done,
 * and other names of a chat.
 */
export interface InboxStore {
  /**
   * What waits for an answer or for its delivery, in all sessions of a namespace, in the order in which it
   * came. Hidden and erased messages are not in it. When an append `answers` several messages, the first one
   * stays here with its `reply` until it is settled, and the others go. An append that answers and is a
   * repeat as a whole changes nothing here either. An erasure withdraws the replies that may quote what it
   * erases: the replies that come after an erased message in their session, and all replies in sessions that
   * are shown memory of it. With `sessionId`: of that session alone. The pages belong to one reading. Entries
   * that were written at the same time may appear in any order, so the next reading starts from the
   * beginning.
   */
  readWaiting(
    namespace: string,
    page: { sessionId?: string; after?: number; limit: number },
  ): Promise<readonly WaitingEntry[]>
  /**
   * A message that is already in the log waits from now on, as if it had been appended with `awaits`.
   * `false`: it waits already, or it cannot be seen.
   */
  awaitAnswer(key: SessionKey, change: { seq: number; awaits: Awaits; now: number }): Promise<boolean>
  /**
   * Notes what became of an attempt to answer. A field that is left out stays as it is. If the message does
   * not wait any more, nothing changes.
   */
  noteWaiting(key: SessionKey, note: { seq: number; attempts?: number; sent?: unknown }): Promise<void>
  /**
   * These messages wait no longer: the answer is delivered, or no answer will come. A message that does not
   * wait is no error.
   */
  settleWaiting(key: SessionKey, seqs: readonly number[]): Promise<void>
  /** How often something was done in the session lately. 0: also if there is no such session. */
  countAllowance(key: SessionKey, allowance: Omit<Allowance, 'limit'>): Promise<number>
  /**
   * Counts that something is done now. `false`: it was done as often as allowed, or there is no such session,
   * and nothing has changed. If several calls come at once, over all processes, no more of them succeed than
   * are allowed.
   */
  takeAllowance(key: SessionKey, allowance: Allowance): Promise<boolean>
  /** The name of the session that has this name as its alias (see `addAlias`). `null`: there is none. */
  readAlias(key: SessionKey): Promise<string | null>
  /**
   * From now on the session is also reached under this name, until the session is erased. A repeat changes
   * nothing. `false`: there is no such session, or another session has this name or this alias.
   */
  addAlias(key: SessionKey, alias: string): Promise<boolean>
}
