import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import type { Fold } from './fold.ts'
import { budgetOf, type Method, tokensOf } from './method.ts'
import { renderSentences, type Sentence, sentencesOf } from './sentences.ts'
import { rankSentences } from './textrank.ts'

/** What anybody would try first: sentences as they stand, taken in some order while there is room for them. */

export const firstSentences = inOrder('first sentences', sentences => [...sentences.keys()])
export const lastSentences = inOrder('last sentences', sentences => [...sentences.keys()].reverse())
export const textRank = inOrder('TextRank', sentences => rankSentences(sentences.map(({ text }) => text)))

/** Simple, and harder to beat than the others: what is long says much. */
export const longestSentences = inOrder('longest sentences', sentences =>
  [...sentences.keys()].sort((one, other) => sentences[other]!.text.length - sentences[one]!.text.length),
)

/** Which to try first, by their indexes. */
type Rank = (sentences: readonly Sentence[]) => readonly number[]

/** By so much the tokens of two texts may differ from those of both together. */
const ROUNDING_TOKENS = 3

function inOrder(name: string, rank: Rank): Method {
  return {
    name,
    shorten: async (folds, share) => folds.map(fold => fill(fold, rank, budgetOf(fold, share))),
  }
}

/** One that is too long for what is left is passed over: a shorter one further on may still fit. */
function fill(fold: Fold, rank: Rank, budget: number): string {
  const sentences = sentencesOf(fold)
  let chosen: readonly number[] = []
  let text = ''
  let left = budget
  for (const index of rank(sentences)) {
    // Rendering them all again tells exactly, but most need no more than a look.
    if (estimateTokens(sentences[index]!.text) > left + ROUNDING_TOKENS) continue
    const more = [...chosen, index].sort((one, other) => one - other)
    const longer = renderSentences(more.map(at => sentences[at]!))
    const tokens = tokensOf(longer)
    if (tokens > budget) continue
    chosen = more
    text = longer
    left = budget - tokens
  }
  return text
}
