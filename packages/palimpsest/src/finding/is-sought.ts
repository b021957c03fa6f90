import { BoundedMap } from '../bounded-map.ts'
import type { SearchQuery } from '../search/index.ts'

/** Whether a term of the index is one that a query seeks, and does not only look up. */
export function isSought({ terms }: SearchQuery): (name: string) => boolean {
  return matcherOf(terms.filter(({ weight }) => weight > 0))
}

/** Whether a term of the index is one of these, or begins like one of them that is a prefix. */
export function matcherOf(terms: SearchQuery['terms']): (name: string) => boolean {
  const names = new Set(terms.map(({ term }) => term))
  const prefixes = terms.filter(({ prefix }) => prefix).map(({ term }) => term)
  return remembering(name => names.has(name) || prefixes.some(prefix => name.startsWith(prefix)))
}

const MAX_REMEMBERED = 10_000

/** A text repeats its words, and a query may have many beginnings to compare each with. */
function remembering(isSought: (name: string) => boolean): (name: string) => boolean {
  const answers = new BoundedMap<string, boolean>(MAX_REMEMBERED)
  return name => {
    const known = answers.get(name)
    if (known !== undefined) return known
    const answer = isSought(name)
    answers.set(name, answer)
    return answer
  }
}
