import { DEFAULT_WEIGHTS, type Weights } from '../../packages/palimpsest/src/search/index.ts'
import type { Conversation } from '../conversation.ts'
import { chooseWeights, createTrial } from './choose-weights.ts'
import { type Figures, figuresOf, type Outcome } from './figures.ts'
import { searchWithFts5 } from './fts5.ts'
import { prepare } from './ours.ts'

export interface SearchRecall {
  readonly search: 'fts5' | 'shipped weights' | 'weights chosen leaving each conversation out'
  readonly overall: Figures
  readonly byCategory: ReadonlyMap<number, Figures>
}

export interface RecallReport {
  readonly searches: readonly SearchRecall[]
  /** The weights with which each conversation was searched that had no part in choosing them. */
  readonly chosen: readonly { readonly leftOut: string; readonly weights: Weights }[]
}

/**
 * How much of the evidence for a question one search with the question as it stands finds, in its own
 * conversation. With a single conversation there is nothing to choose weights on: that search is left out.
 */
export function measureRecall(conversations: readonly Conversation[]): RecallReport {
  const prepared = conversations.map(prepare)
  const trial = createTrial(prepared)
  const chosen =
    conversations.length > 1
      ? prepared.map(({ name }, place) => ({ leftOut: name, weights: chooseWeights(trial, place) }))
      : []
  const heldOut = chosen.map(({ weights }, place) => trial(weights)[place]!)
  return {
    searches: [
      summarize('fts5', conversations.map(searchWithFts5)),
      summarize('shipped weights', trial(DEFAULT_WEIGHTS)),
      ...(chosen.length > 0 ? [summarize('weights chosen leaving each conversation out', heldOut)] : []),
    ],
    chosen,
  }
}

function summarize(
  search: SearchRecall['search'],
  byConversation: readonly (readonly Outcome[])[],
): SearchRecall {
  const outcomes = byConversation.flat()
  const categories = [...new Set(outcomes.map(({ category }) => category))].sort((one, other) => one - other)
  return {
    search,
    overall: figuresOf(outcomes),
    byCategory: new Map(
      categories.map(category => [
        category,
        figuresOf(outcomes.filter(outcome => outcome.category === category)),
      ]),
    ),
  }
}
