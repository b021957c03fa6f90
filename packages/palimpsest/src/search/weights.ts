/** How much each thing counts when messages are ranked. */
export interface Weights {
  /** BM25's k1: how soon more of the same term stops counting. */
  readonly saturation: number
  /** BM25's b: how much more often a long message has to say what is sought. */
  readonly lengthNormalization: number
  /** The share of the message before that counts for a message. An answer follows its question. */
  readonly before: number
  /** The share of the message after that counts. */
  readonly after: number
  /** How much less the second neighbour counts than the first, on both sides. */
  readonly further: number
  /** How much the stretch of conversation around a message counts. */
  readonly stretch: number
  /** How much the name of a speaker counts as a word. Others address speakers by it all the time. */
  readonly name: number
  /** How much more a message counts if the query names its speaker. */
  readonly speaker: number
  /** How much a date in the query counts, compared with a word that is as rare. */
  readonly date: number
  /** How much less a message counts if it asks: its sender does not know the answer. */
  readonly asking: number
  /** How much more the newest message counts than the oldest. */
  readonly recency: number
}

/** Measured with `eval/recall`. All of them lie on a plateau, where a quarter more or less hardly matters. */
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
