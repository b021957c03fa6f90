import { BoundedMap } from '../bounded-map.ts'
import type { SearchQuery } from '../search/index.ts'

/** Whether the query seeks a term of the index. Terms of weight 0 are only looked up. */
export function isSought({ terms }: SearchQuery): (name: string) => boolean {
  return matcherOf(terms.filter(({ weight }) => weight > 0))
}

/** Whether a term of the index is in this list, or begins with one of the list that is a prefix. */
export function matcherOf(terms: SearchQuery['terms']): (name: string) => boolean {
  const names = new Set(terms.map(({ term }) => term))
  const prefixes = terms.filter(({ prefix }) => prefix).map(({ term }) => term)
  return remembering(name => names.has(name) || prefixes.some(prefix => name.startsWith(prefix)))
}

const MAX_REMEMBERED = 10_000

/** A text repeats its words, and a query may have many prefixes to compare with each word. */
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
