/** What counts how much when messages are ranked. */
export interface Weights {
  /** BM25's k1: how soon more of the same term stops counting. */
  readonly saturation: number
  /** BM25's b: how much a long message has to say more often what is sought. */
  readonly lengthNormalization: number
  /** How much of what the message before says counts for a message: an answer follows its question. */
  readonly before: number
  /** How much of what the message after says counts. */
  readonly after: number
  /** How much less the next but one counts than the next, on either side. */
  readonly further: number
  /** How much the stretch of conversation counts in which a message stands. */
  readonly stretch: number
  /** How much the name of a speaker counts as a word: they are addressed by it all the time. */
  readonly name: number
  /** How much more a message counts whose speaker the query names. */
  readonly speaker: number
  /** How much a date named in the query counts, next to a word that is as rare. */
  readonly date: number
  /** How much less a message counts that asks: who asks does not know. */
  readonly asking: number
  /** How much more the newest message counts than the oldest. */
  readonly recency: number
}

/** Measured with `eval/recall`: all of them lie on a plateau, where a quarter more or less hardly matters. */
export const DEFAULT_WEIGHTS: Weights = {
  saturation: 1.2,
  lengthNormalization: 0.5,
  before: 0.5,
  after: 0.35,
  further: 0.5,
  stretch: 0.2,
  name: 0.3,
  speaker: 0.7,
  date: 1.5,
  asking: 0.15,
  recency: 0.02,
}
