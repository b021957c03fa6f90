import type { QueryTerm } from './query.ts'
import { MAX_COUNT, type Postings, type SessionIndex } from './session-index.ts'

/** The postings of each term of a query, without messages that cannot be found. `null`: none is left. */
export function findPostings(
  terms: readonly Pick<QueryTerm, 'term' | 'prefix'>[],
  { postings, lengths, lastSeq }: SessionIndex,
): (Postings | null)[] {
  return terms.map(({ term, prefix }) => {
    const found = prefix
      ? mergePostings(beginningWith(term, postings), lastSeq)
      : (postings.get(term) ?? null)
    return found && withoutHidden(found, lengths)
  })
}

function beginningWith(prefix: string, postings: SessionIndex['postings']): Postings[] {
  const found: Postings[] = []
  for (const [term, list] of postings) {
    if (term.startsWith(prefix)) found.push(list)
  }
  return found
}

function withoutHidden(postings: Postings, lengths: Uint16Array): Postings | null {
  const { seqs, counts } = postings
  let shown = 0
  for (let entry = 0; entry < seqs.length; entry += 1) {
    if (lengths[seqs[entry]!]! > 0) shown += 1
  }
  if (shown === seqs.length) return shown > 0 ? postings : null
  const isShown = (_: number, entry: number) => lengths[seqs[entry]!]! > 0
  return shown === 0 ? null : { seqs: seqs.filter(isShown), counts: counts.filter(isShown) }
}

/** Merges the postings as if all terms were one. */
function mergePostings(lists: readonly Postings[], lastSeq: number): Postings | null {
  if (lists.length <= 1) return lists[0] ?? null
  const countOf = new Uint8Array(lastSeq + 1)
  let size = 0
  for (const { seqs, counts } of lists) {
    for (let entry = 0; entry < seqs.length; entry += 1) {
      const seq = seqs[entry]!
      if (countOf[seq] === 0) size += 1
      countOf[seq] = Math.min(MAX_COUNT, countOf[seq]! + counts[entry]!)
    }
  }
  const merged = { seqs: new Uint32Array(size), counts: new Uint8Array(size) }
  let entry = 0
  for (let seq = 1; seq <= lastSeq; seq += 1) {
    if (countOf[seq] === 0) continue
    merged.seqs[entry] = seq
    merged.counts[entry] = countOf[seq]!
    entry += 1
  }
  return merged
}
