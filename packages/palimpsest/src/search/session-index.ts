/** More terms in a message, or more of one term in it, make no difference. */
export const MAX_LENGTH = 65_535
export const MAX_COUNT = 255

/** Of an instant in milliseconds, as an index holds it: what lies thousands of years away is put at the edge. */
export function minuteOf(at: number): number {
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(at / 60_000)))
}

/** In which messages a term stands, oldest first, and how often in each. */
export interface Postings {
  readonly seqs: Uint32Array
  readonly counts: Uint8Array
}

/**
 * What ranking reads of one session. The place of a message in the arrays is its seq; place 0 is not
 * used. A message of length 0 cannot be found: it is hidden, erased or holds no words.
 */
export interface SessionIndex {
  readonly lastSeq: number
  /** How many terms a message has, repeats included, at most `MAX_LENGTH`. */
  readonly lengths: Uint16Array
  /** Who said it: a place in `speakerNames`. */
  readonly speakers: Uint32Array
  /** The name by which each speaker goes, or their id; empty for a message without a sender. */
  readonly speakerNames: readonly string[]
  /** When it was said, in minutes since 1970 (UTC). */
  readonly minutes: Int32Array
  /** By term, for the terms that a query asks for; a term that stands nowhere is absent. */
  readonly postings: ReadonlyMap<string, Postings>
}
