/**
 * What is still owed: a message that waits for an answer, and then, until the platform has it, that answer. It is
 * stored with the message, and taken away with the answer, each in the same transaction: no crash loses one, and none
 * is answered twice.
 */

/** That a message waits for an answer. What is in it is its caller's own, and holds nothing of what was said. */
export interface Awaits {
  /** Messages of a session with the same key may be answered together. */
  readonly burst: string
  /** Where the answer goes, as JSON. */
  readonly address: Readonly<Record<string, unknown>>
}

/** The messages that an append answers. */
export interface Answers {
  /** All of them wait; otherwise it is a `NotWaitingError`. Oldest first. */
  readonly seqs: readonly number[]
  /** Messages of the same answer that are in the log already: those of the earlier steps of a loop of tool calls. */
  readonly earlier?: readonly number[]
  /** Not the whole answer: they go on waiting. Left out: it is, and they wait no longer. */
  readonly isPart?: true
}

export interface WaitingEntry extends Awaits {
  /** Grows: the order in which they came, over all sessions. */
  readonly id: number
  readonly sessionId: string
  readonly seq: number
  readonly receivedAt: Date
  /** How often an answer was begun. */
  readonly attempts: number
  /** What the platform has of the answer so far, as JSON of the caller's own: nothing of what was said. */
  readonly sent: unknown
  /** The messages of the answer, once it is stored: it is to be delivered. `null`: there is none yet. */
  readonly reply: readonly number[] | null
  /**
   * Something that the answer may quote was erased after it was stored, and before it was delivered: it is not to be
   * delivered any more, and `reply` is empty.
   */
  readonly isWithdrawn?: true
}

/** What is done in a session so often in a while at the most, over all processes and restarts. */
export interface Allowance {
  /** What: a name of the caller's own. */
  readonly kind: string
  readonly limit: number
  /** In so many milliseconds before now. */
  readonly within: number
  readonly now: number
}
