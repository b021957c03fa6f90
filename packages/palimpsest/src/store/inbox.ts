/**
 * Holds what is still owed: a message that waits for an answer, and then the answer, until the platform has
 * it. A wait is stored in one transaction with its message, and ended in one transaction with its answer. So
 * no crash loses a message, and no message is answered twice.
 */

/**
 * Says that a message waits for an answer. The contents belong to the caller, and hold nothing of what was
 * said.
 */
export interface Awaits {
  /** Messages of a session with the same key may be answered together. */
  readonly burst: string
  /** Where the answer goes, as JSON. */
  readonly address: Readonly<Record<string, unknown>>
}

/** The messages that an append answers. */
export interface Answers {
  /** All of these messages must wait, or the call fails with a `NotWaitingError`. Oldest first. */
  readonly seqs: readonly number[]
  /** Messages of the same answer that are in the log already: the earlier steps of a loop of tool calls. */
  readonly earlier?: readonly number[]
  /**
   * `true`: this is a part of the answer, and the messages go on waiting. Left out: it is the whole answer,
   * and they wait no longer.
   */
  readonly isPart?: true
}

export interface WaitingEntry extends Awaits {
  /** Grows over all sessions, in the order in which the entries came. */
  readonly id: number
  readonly sessionId: string
  readonly seq: number
  readonly receivedAt: Date
  /** How often an answer was begun. */
  readonly attempts: number
  /**
   * What the platform has of the answer so far, as JSON of the caller's own. It holds nothing of what was
   * said.
   */
  readonly sent: unknown
  /** The messages of the stored answer, which is to be delivered. `null`: there is no answer yet. */
  readonly reply: readonly number[] | null
  /**
   * `true`: the answer is not to be delivered any more, and `reply` is empty. After the answer was stored and
   * before it was delivered, something was erased that the answer may quote.
   */
  readonly isWithdrawn?: true
}

/**
 * A limit for something that is done in a session: at most `limit` times within a time, over all processes
 * and restarts.
 */
export interface Allowance {
  /** A name that the caller chooses for what is done. */
  readonly kind: string
  readonly limit: number
  /** The length of the time before now, in milliseconds. */
  readonly within: number
  readonly now: number
}
