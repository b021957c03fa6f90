/** Higher counts of terms in a message, or of one term in it, make no difference. */
export const MAX_LENGTH = 65_535
export const MAX_COUNT = 255

/**
 * The minute of an instant in milliseconds, as an index stores it. Instants thousands of years away are moved
 * to the limit.
 */
export function minuteOf(at: number): number {
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(at / 60_000)))
}

/** The messages that hold a term, oldest first, and how often each holds it. */
export interface Postings {
  readonly seqs: Uint32Array
  readonly counts: Uint8Array
}

/**
 * What ranking reads of one session. The index of a message in the arrays is its seq; index 0 is not used. A
 * message of length 0 cannot be found: it is hidden or erased, or it holds no words.
 */
export interface SessionIndex {
  readonly lastSeq: number
  /** How many terms a message has, with repeats. At most `MAX_LENGTH`. */
  readonly lengths: Uint16Array
  /** The speaker of each message, as a place in `speakerNames`. */
  readonly speakers: Uint32Array
  /** The name of each speaker, or else the id. Empty for messages without a sender. */
  readonly speakerNames: readonly string[]
  /** When it was said, in minutes since 1970 (UTC). */
  readonly minutes: Int32Array
  /** By term, for the terms that a query asks for. A term that stands in no message is absent. */
  readonly postings: ReadonlyMap<string, Postings>
}
