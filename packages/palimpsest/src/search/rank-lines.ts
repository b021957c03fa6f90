import { rarity } from './collection.ts'
import { parseQuery } from './query.ts'
import { ASKING, countTerms } from './terms.ts'

/** A term in a larger share of the lines does not tell which line is meant. */
const MAX_SHARE = 1 / 3
const MIN_COMMON = 2
/** As a share of the best line's score. A lower line only shares a word with the question. */
const MIN_OF_BEST = 0.4

/**
 * The lines that fit a question, best first; among equals, the first line first. Each line is a note that
 * stands for itself.
 */
export function rankLines(question: string, lines: readonly string[]): readonly string[] {
  const terms = parseQuery(question).terms.filter(({ term, weight }) => weight > 0 && term !== ASKING)
  if (terms.length === 0 || lines.length === 0) return []
  const scores = new Float64Array(lines.length)
  const counted = lines.map(line => [...countTerms(line).keys()])
  for (const { term, prefix, weight } of terms) {
    const isFound = (found: string) => (prefix ? found.startsWith(term) : found === term)
    const places = [...counted.keys()].filter(place => counted[place]!.some(isFound))
    if (places.length > Math.max(MIN_COMMON, lines.length * MAX_SHARE)) continue
    for (const place of places) scores[place]! += weight * rarity(places.length, lines.length)
  }
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  if (best === 0) return []
  return [...lines.keys()]
    .filter(place => scores[place]! >= best * MIN_OF_BEST)
    .toSorted((one, other) => scores[other]! - scores[one]! || one - other)
    .map(place => lines[place]!)
}
