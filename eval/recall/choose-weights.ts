import type { Weights } from '../../packages/palimpsest/src/search/index.ts'
import { figuresOf, type Outcome } from './figures.ts'
import { type PreparedConversation, searchWithWeights } from './ours.ts'

/** Textbook BM25 and nothing else: no weight that was found on these conversations leaks into the choice. */
const STARTING_WEIGHTS: Weights = {
  saturation: 1.2,
  lengthNormalization: 0.75,
  before: 0,
  after: 0,
  further: 0.5,
  stretch: 0,
  name: 1,
  speaker: 0,
  date: 0,
  asking: 0,
  recency: 0.02,
}

const CHOICES: readonly (readonly [keyof Weights, readonly number[]])[] = [
  ['before', [0, 0.25, 0.5, 0.75]],
  ['after', [0, 0.2, 0.35, 0.5]],
  ['speaker', [0, 0.35, 0.7, 1]],
  ['name', [0.15, 0.3, 0.5, 1]],
  ['date', [0, 0.75, 1.5, 2.25]],
  ['stretch', [0, 0.1, 0.2, 0.3]],
  ['asking', [0, 0.1, 0.2]],
  ['lengthNormalization', [0.25, 0.5, 0.75]],
  ['saturation', [0.8, 1.2, 1.6]],
]

const ROUNDS = 2

/** What a set of weights gives in each conversation; asked for the same weights again and again. */
export type Trial = (weights: Weights) => readonly (readonly Outcome[])[]

export function createTrial(conversations: readonly PreparedConversation[]): Trial {
  const kept = new Map<string, readonly (readonly Outcome[])[]>()
  return weights => {
    const key = JSON.stringify(weights)
    const known = kept.get(key)
    if (known !== undefined) return known
    const outcomes = conversations.map(conversation => searchWithWeights(conversation, weights))
    kept.set(key, outcomes)
    return outcomes
  }
}

/** The best weights for all conversations but one, found one weight after the other. */
export function chooseWeights(trial: Trial, leftOut: number): Weights {
  const goodness = (weights: Weights) => {
    const { at5, at10, at20 } = figuresOf(trial(weights).toSpliced(leftOut, 1).flat())
    return at5 / 4 + at10 / 2 + at20 / 4
  }
  let best = STARTING_WEIGHTS
  let most = goodness(best)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, values] of CHOICES) {
      for (const value of values) {
        const tried = { ...best, [name]: value }
        const found = goodness(tried)
        if (found <= most) continue
        best = tried
        most = found
      }
    }
  }
  return best
}
