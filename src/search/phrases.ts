import type { Ranked } from './best-results.ts'
import { normalizeText } from './normalize-text.ts'
import { indexOfWhole } from './occurs-in.ts'
import type { SearchQuery } from './query.ts'

/** How much more a message counts that holds all that a query names verbatim. */
const VERBATIM_BOOST = 1

/** Whether a text holds every quoted phrase of a query. */
export function matchesPhrases(text: string, { phrases }: SearchQuery): boolean {
  if (phrases.length === 0) return true
  const normalized = comparable(text)
  return phrases.every(phrase => indexOfWhole(normalized, phrase) >= 0)
}

/** How much of what a query names verbatim stands so in a text, from 0 to 1. */
export function verbatimMatches(text: string, { verbatim }: SearchQuery): number {
  if (verbatim.length === 0) return 0
  const normalized = comparable(text)
  return verbatim.filter(part => indexOfWhole(normalized, part) >= 0).length / verbatim.length
}

/** Whether ranking is not all: the texts of the best have to be looked at. */
export function needsTexts({ phrases, verbatim }: SearchQuery): boolean {
  return phrases.length > 0 || verbatim.length > 0
}

/** Ranked messages in the order they have once their texts are known. */
export function refine(
  ranked: readonly Ranked[],
  textOf: (seq: number) => string,
  query: SearchQuery,
): Ranked[] {
  if (!needsTexts(query)) return [...ranked]
  return ranked
    .map(({ seq, score }) => ({ seq, score, text: textOf(seq) }))
    .filter(({ text }) => matchesPhrases(text, query))
    .map(({ seq, score, text }) => ({
      seq,
      score: score * (1 + VERBATIM_BOOST * verbatimMatches(text, query)),
    }))
    .sort((one, other) => other.score - one.score || other.seq - one.seq)
}

function comparable(text: string): string {
  return normalizeText(text).replace(/\s+/g, ' ')
}
