import type { QueryTerm } from './query.ts'
import { MAX_COUNT, MAX_LENGTH, type Postings, type SessionIndex } from './session-index.ts'
import { countTerms } from './terms.ts'

export interface IndexedMessage {
  /** From 1. Each number once, in any order. */
  readonly seq: number
  readonly text: string
  /** The name of the speaker. Empty without a sender. */
  readonly speaker: string
  /** When it was said, in minutes since 1970 (UTC). */
  readonly minutes: number
}

/**
 * Indexes messages in memory. The returned function gives the part of the index that the terms of a query
 * need.
 */
export function indexMessages(
  messages: readonly IndexedMessage[],
): (terms: readonly Pick<QueryTerm, 'term' | 'prefix'>[]) => SessionIndex {
  const ordered = messages.toSorted((one, other) => one.seq - other.seq)
  const lastSeq = ordered.at(-1)?.seq ?? 0
  const lengths = new Uint16Array(lastSeq + 1)
  const speakers = new Uint32Array(lastSeq + 1)
  const minutes = new Int32Array(lastSeq + 1)
  const speakerPlaces = new Map<string, number>([['', 0]])
  const entries = new Map<string, { seqs: number[]; counts: number[] }>()
  for (const message of ordered) {
    const { seq } = message
    minutes[seq] = message.minutes
    speakers[seq] = placeOf(message.speaker, speakerPlaces)
    lengths[seq] = Math.min(MAX_LENGTH, addTerms(message, entries))
  }
  const postings = new Map<string, Postings>()
  for (const [term, { seqs, counts }] of entries)
    postings.set(term, { seqs: Uint32Array.from(seqs), counts: Uint8Array.from(counts) })
  const speakerNames = [...speakerPlaces.keys()]
  return terms => ({
    lastSeq,
    lengths,
    speakers,
    speakerNames,
    minutes,
    postings: select(postings, terms),
  })
}

function placeOf(speaker: string, places: Map<string, number>): number {
  const known = places.get(speaker)
  if (known !== undefined) return known
  places.set(speaker, places.size)
  return places.size - 1
}

/** The number of terms in the message, with repeats. */
function addTerms(
  { seq, text }: IndexedMessage,
  entries: Map<string, { seqs: number[]; counts: number[] }>,
): number {
  let length = 0
  for (const [term, count] of countTerms(text)) {
    length += count
    let entry = entries.get(term)
    if (entry === undefined) {
      entry = { seqs: [], counts: [] }
      entries.set(term, entry)
    }
    entry.seqs.push(seq)
    entry.counts.push(Math.min(MAX_COUNT, count))
  }
  return length
}

function select(
  postings: ReadonlyMap<string, Postings>,
  terms: readonly Pick<QueryTerm, 'term' | 'prefix'>[],
): Map<string, Postings> {
  const selected = new Map<string, Postings>()
  for (const { term, prefix } of terms) {
    const names = prefix ? [...postings.keys()].filter(name => name.startsWith(term)) : [term]
    for (const name of names) {
      const found = postings.get(name)
      if (found !== undefined) selected.set(name, found)
    }
  }
  return selected
}
