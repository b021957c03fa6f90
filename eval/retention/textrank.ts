import { contentWords } from './words.ts'

/**
 * TextRank (Mihalcea and Tarau, 2004): sentences are the nodes of a graph, the words that two have in common the
 * weight between them, and PageRank says which are central.
 */

const DAMPING = 0.85
const MAX_ROUNDS = 100
const CONVERGED = 1e-6
/** Ten times as many as a fold has, unless somebody pasted a book: more have too many edges between them. */
const MAX_SENTENCES = 2_000

/** Indexes, the most central first; of equals the one that stands first. Those over the limit come last. */
export function rankSentences(sentences: readonly string[]): number[] {
  const scores = pageRank(similarities(sentences.slice(0, MAX_SENTENCES).map(contentWords)))
  const scoreOf = (index: number) => scores[index] ?? 0
  return [...sentences.keys()].sort((one, other) => scoreOf(other) - scoreOf(one) || one - other)
}

interface Edge {
  readonly to: number
  readonly weight: number
}

/** For each sentence, those that it shares words with: the shared words over the logarithms of the lengths. */
function similarities(sentences: readonly ReadonlySet<string>[]): Edge[][] {
  const holders = new Map<string, number[]>()
  for (const [index, words] of sentences.entries())
    for (const word of words) {
      const list = holders.get(word)
      if (list === undefined) holders.set(word, [index])
      else list.push(index)
    }
  return sentences.map((words, index) => {
    const shared = new Map<number, number>()
    for (const word of words)
      for (const other of holders.get(word)!)
        if (other !== index) shared.set(other, (shared.get(other) ?? 0) + 1)
    return [...shared].flatMap(([to, count]) => {
      const length = Math.log(words.size) + Math.log(sentences[to]!.size)
      // Two sentences of a word each have no length to speak of.
      return length > 0 ? [{ to, weight: count / length }] : []
    })
  })
}

function pageRank(edges: readonly (readonly Edge[])[]): Float64Array {
  const count = edges.length
  const outgoing = edges.map(list => list.reduce((sum, { weight }) => sum + weight, 0))
  let scores = new Float64Array(count).fill(1)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = new Float64Array(count).fill(1 - DAMPING)
    for (const [from, list] of edges.entries())
      for (const { to, weight } of list) next[to]! += (DAMPING * scores[from]! * weight) / outgoing[from]!
    const change = next.reduce((most, score, index) => Math.max(most, Math.abs(score - scores[index]!)), 0)
    scores = next
    if (change < CONVERGED) break
  }
  return scores
}
