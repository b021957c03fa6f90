import { rangesOf, type TimeRange } from './dates.ts'
import { findPostings } from './postings.ts'
import type { QueryTerm, SearchQuery } from './query.ts'
import type { Postings, SessionIndex } from './session-index.ts'

/** How common each part of a query is, so that the scores of several sessions compare. */
export interface Collection {
  /** How many messages can be found. */
  readonly messages: number
  /** The sum of their lengths. */
  readonly totalLength: number
  /** By `termKey`: the number of messages that hold each term of the query. */
  readonly frequencies: ReadonlyMap<string, number>
  /** The number of messages from a time that the query names. */
  readonly dated: number
}

/** For all sessions of one search. */
export function collectionOf(query: SearchQuery, indexes: readonly SessionIndex[]): Collection {
  const each = indexes.map(index =>
    sessionCollection(query, index, { ...sizeOf(index), postings: findPostings(query.terms, index) }),
  )
  const frequencies = new Map<string, number>()
  for (const collection of each) {
    for (const [key, found] of collection.frequencies)
      frequencies.set(key, (frequencies.get(key) ?? 0) + found)
  }
  return {
    messages: each.reduce((sum, { messages }) => sum + messages, 0),
    totalLength: each.reduce((sum, { totalLength }) => sum + totalLength, 0),
    dated: each.reduce((sum, { dated }) => sum + dated, 0),
    frequencies,
  }
}

export function sessionCollection(
  query: SearchQuery,
  index: SessionIndex,
  {
    messages,
    totalLength,
    postings,
  }: { messages: number; totalLength: number; postings: readonly (Postings | null)[] },
): Collection {
  return {
    messages,
    totalLength,
    dated: countDated(query, index),
    frequencies: new Map(
      query.terms.map((term, place) => [termKey(term), postings[place]?.seqs.length ?? 0]),
    ),
  }
}

function sizeOf({ lastSeq, lengths }: SessionIndex): { messages: number; totalLength: number } {
  let messages = 0
  let totalLength = 0
  for (let seq = 1; seq <= lastSeq; seq += 1) {
    const length = lengths[seq]!
    if (length === 0) continue
    messages += 1
    totalLength += length
  }
  return { messages, totalLength }
}

function countDated(query: SearchQuery, index: SessionIndex): number {
  const ranges = timeRanges(query, index)
  if (ranges.length === 0) return 0
  let dated = 0
  for (let seq = 1; seq <= index.lastSeq; seq += 1) {
    if (index.lengths[seq] !== 0 && isWithin(ranges, index.minutes[seq]!)) dated += 1
  }
  return dated
}

export function termKey({ term, prefix }: Pick<QueryTerm, 'term' | 'prefix'>): string {
  return prefix ? `${term}*` : term
}

/**
 * The times of the dates in a query, for one session. A date without a year stands for every year in which
 * the session has messages.
 */
export function timeRanges({ dates, zone }: SearchQuery, index: SessionIndex): TimeRange[] {
  if (dates.length === 0) return []
  const years = dates.every(({ year }) => year !== null) ? [] : yearsOf(index)
  return dates.flatMap(date => rangesOf(date, years, zone))
}

const MINUTES_A_YEAR = 525_949.2

/** Includes the years before and after, so that no zone and no leap year leaves one out. */
function yearsOf({ lastSeq, lengths, minutes }: SessionIndex): readonly number[] {
  const years = new Set<number>()
  for (let seq = 1; seq <= lastSeq; seq += 1)
    if (lengths[seq] !== 0) years.add(Math.floor(minutes[seq]! / MINUTES_A_YEAR))
  const around = [...years].flatMap(year => [year - 1, year, year + 1])
  return [...new Set(around)].map(year => year + 1970).sort((one, other) => one - other)
}

export function isWithin(ranges: readonly TimeRange[], minute: number): boolean {
  for (let place = 0; place < ranges.length; place += 1) {
    const range = ranges[place]!
    if (minute >= range.from && minute < range.to) return true
  }
  return false
}

/** BM25's weight of a term that `frequency` of the messages hold. */
export function rarity(frequency: number, messages: number): number {
  const found = Math.min(frequency, messages)
  return Math.log(1 + (messages - found + 0.5) / (found + 0.5))
}
