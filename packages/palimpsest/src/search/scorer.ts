import { type Conversation, SILENCE } from './conversation.ts'
import type { Postings, SessionIndex } from './session-index.ts'
import type { Weights } from './weights.ts'
import type { Workspace } from './workspace.ts'

/** Adds up, term by term, how well each message and each stretch of a conversation answers a query. */
export class Scorer {
  /** By place in the conversation. 0 for a message that no term leads to. */
  readonly scores: Float64Array
  readonly stretchScores: Float64Array
  readonly #conversation: Conversation
  readonly #index: SessionIndex
  readonly #weights: Weights
  readonly #averageLength: number
  /** How much of the current term each message has. All 0 between two terms. */
  readonly #amounts: Float64Array
  /** By place: how many required terms the message itself holds. */
  #requiredFound: Uint8Array | null = null
  #required = 0

  constructor(
    conversation: Conversation,
    index: SessionIndex,
    {
      averageLength,
      weights,
      workspace,
    }: { averageLength: number; weights: Weights; workspace: Pick<Workspace, 'scores' | 'amounts'> },
  ) {
    this.scores = workspace.scores
    this.scores.fill(0, 0, conversation.size)
    this.stretchScores = new Float64Array(conversation.stretchLengths.length)
    this.#conversation = conversation
    this.#index = index
    this.#weights = weights
    this.#averageLength = averageLength
    this.#amounts = workspace.amounts
  }

  add(postings: Postings, importance: number): void {
    this.#spread(postings)
    this.#collect(postings, importance)
    if (this.#weights.stretch > 0) this.#addToStretches(postings, importance)
  }

  /** Messages that hold the term come before messages that only stand next to them. */
  addLiteral({ seqs }: Postings, importance: number): void {
    const { places } = this.#conversation
    const most = importance * (this.#weights.saturation + 1)
    for (let entry = 0; entry < seqs.length; entry += 1) this.scores[places[seqs[entry]!]!]! += most
  }

  /** A message without the term is no result. */
  require({ seqs }: Postings): void {
    const { places, size } = this.#conversation
    this.#requiredFound ??= new Uint8Array(size)
    this.#required += 1
    for (let entry = 0; entry < seqs.length; entry += 1) this.#requiredFound[places[seqs[entry]!]!]! += 1
  }

  hasRequired(place: number): boolean {
    return this.#requiredFound === null || this.#requiredFound[place] === this.#required
  }

  /** Gives every message its own occurrences of a term, and a share of those of two messages on each side. */
  #spread({ seqs, counts }: Postings): void {
    const { places, size, seqs: seqAt } = this.#conversation
    const { lengths, minutes } = this.#index
    const { lengthNormalization, before, after, further } = this.#weights
    const amounts = this.#amounts
    const least = 1 - lengthNormalization
    const perTerm = lengthNormalization / this.#averageLength
    for (let entry = 0; entry < seqs.length; entry += 1) {
      const seq = seqs[entry]!
      const place = places[seq]!
      const minute = minutes[seq]!
      const amount = counts[entry]! / (least + perTerm * lengths[seq]!)
      amounts[place]! += amount
      let share = amount * before
      const lastNear = Math.min(size - 1, place + 2)
      for (let near = place + 1; near <= lastNear; near += 1) {
        if (Math.abs(minutes[seqAt[near]!]! - minute) > SILENCE) break
        amounts[near]! += share
        share *= further
      }
      share = amount * after
      const firstNear = Math.max(0, place - 2)
      for (let near = place - 1; near >= firstNear; near -= 1) {
        if (Math.abs(minute - minutes[seqAt[near]!]!) > SILENCE) break
        amounts[near]! += share
        share *= further
      }
    }
  }

  /** Turns the amounts of a term into scores and resets the amounts to 0. */
  #collect({ seqs }: Postings, importance: number): void {
    const { places, size } = this.#conversation
    const { saturation } = this.#weights
    const amounts = this.#amounts
    const scores = this.scores
    const most = importance * (saturation + 1)
    let next = 0
    for (let entry = 0; entry < seqs.length; entry += 1) {
      const place = places[seqs[entry]!]!
      const end = Math.min(size, place + 3)
      for (let near = Math.max(next, place - 2); near < end; near += 1) {
        const amount = amounts[near]!
        scores[near]! += (most * amount) / (amount + saturation)
        amounts[near] = 0
      }
      next = end
    }
  }

  #addToStretches({ seqs, counts }: Postings, importance: number): void {
    const { places, stretches } = this.#conversation
    let stretch = -1
    let count = 0
    for (let entry = 0; entry < seqs.length; entry += 1) {
      const current = stretches[places[seqs[entry]!]!]!
      if (current !== stretch) {
        if (count > 0) this.#addToStretch(stretch, count, importance)
        stretch = current
        count = 0
      }
      count += counts[entry]!
    }
    if (count > 0) this.#addToStretch(stretch, count, importance)
  }

  #addToStretch(stretch: number, count: number, importance: number): void {
    const { saturation, lengthNormalization } = this.#weights
    const { size, stretchLengths } = this.#conversation
    const averageLength = (this.#averageLength * size) / stretchLengths.length
    const length = stretchLengths[stretch]! / averageLength
    const amount = count / (1 - lengthNormalization + lengthNormalization * length)
    this.stretchScores[stretch]! += (importance * (saturation + 1) * amount) / (amount + saturation)
  }
}
