import { BestResults, type Ranked } from './best-results.ts'
import { type Collection, isWithin, rarity, sessionCollection, termKey, timeRanges } from './collection.ts'
import { type Conversation, conversationOf } from './conversation.ts'
import { findPostings } from './postings.ts'
import type { SearchQuery } from './query.ts'
import { Scorer } from './scorer.ts'
import type { Postings, SessionIndex } from './session-index.ts'
import { type NamedSpeakers, namedSpeakers } from './speakers.ts'
import { ASKING } from './terms.ts'
import { DEFAULT_WEIGHTS, type Weights } from './weights.ts'
import { type Workspace, withWorkspace } from './workspace.ts'

/** People tell in the following days what happened on a day. Messages of that time count half. */
const MINUTES_TOLD_AFTER = 3 * 1_440
const TOLD_AFTER = 0.5

export interface RankOptions {
  readonly limit: number
  /** Whether a message may be a result. It is called only for messages that would be among the best. */
  readonly accepts?: ((seq: number) => boolean) | undefined
  /** For all sessions of the search. Left out: for this session alone. */
  readonly collection?: Collection | undefined
  /** `conversationOf(index)`, if the caller has kept it. */
  readonly conversation?: Conversation | undefined
  readonly weights?: Weights | undefined
}

/**
 * The messages that answer a query best, best first; among equals, the newer first.
 *
 * The score of a term is BM25, over its occurrences in the message and a share of those in the two messages
 * before and after. A smaller share of the score of its stretch of conversation is added. A date in the query
 * counts like one more term. A message by a named speaker counts more, a message that only asks counts less,
 * and a newer one counts a little more.
 */
export function rank(query: SearchQuery, index: SessionIndex, options: RankOptions): Ranked[] {
  if (query.terms.length === 0 || options.limit < 1) return []
  return withWorkspace(index.lastSeq + 1, workspace => rankIn(workspace, query, index, options))
}

interface Ranking {
  readonly query: SearchQuery
  readonly index: SessionIndex
  readonly conversation: Conversation
  readonly collection: Collection
  readonly weights: Weights
  /** By the place of the term in the query. */
  readonly postings: readonly (Postings | null)[]
  readonly named: NamedSpeakers
}

function rankIn(
  workspace: Workspace,
  query: SearchQuery,
  index: SessionIndex,
  options: RankOptions,
): Ranked[] {
  const conversation = options.conversation ?? conversationOf(index, workspace)
  const { size: messages, totalLength } = conversation
  const postings = findPostings(query.terms, index)
  const ranking: Ranking = {
    query,
    index,
    conversation,
    collection: options.collection ?? sessionCollection(query, index, { messages, totalLength, postings }),
    weights: options.weights ?? DEFAULT_WEIGHTS,
    postings,
    named: namedSpeakers(query.text, index.speakerNames),
  }
  const scorer = scoreTerms(ranking, workspace)
  if (scorer === null) return []
  markAsking(ranking, workspace.asks)
  return selectBest(ranking, scorer, workspace.asks, options)
}

/** `null`: a required term stands in no message. */
function scoreTerms(ranking: Ranking, workspace: Workspace): Scorer | null {
  const { query, index, conversation, collection, weights, postings, named } = ranking
  const averageLength = collection.totalLength / collection.messages
  const scorer = new Scorer(conversation, index, { averageLength, weights, workspace })
  for (const [place, term] of query.terms.entries()) {
    const found = postings[place]!
    if (found === null && term.required) return null
    if (found === null || term.weight === 0) continue
    const frequency = collection.frequencies.get(termKey(term)) ?? found.seqs.length
    const importance = term.weight * rarity(frequency, collection.messages)
    scorer.add(found, named.terms.has(term.term) ? importance * weights.name : importance)
    if (query.isKeywords) scorer.addLiteral(found, importance)
    if (term.required) scorer.require(found)
  }
  return scorer
}

function markAsking({ query, conversation, postings }: Ranking, asks: Uint8Array): void {
  const { size, places } = conversation
  asks.fill(0, 0, size)
  const seqs = postings[query.terms.findIndex(({ term }) => term === ASKING)]?.seqs ?? []
  for (let entry = 0; entry < seqs.length; entry += 1) asks[places[seqs[entry]!]!] = 1
}

function selectBest(
  ranking: Ranking,
  scorer: Scorer,
  asks: Uint8Array,
  { limit, accepts }: RankOptions,
): Ranked[] {
  const { query, index, weights } = ranking
  const { size, seqs, stretches } = ranking.conversation
  const { scores, stretchScores } = scorer
  const { lastSeq, minutes, speakers } = index
  const isNamed = namedMarks(ranking)
  const date = dateScores(ranking)
  const perSeq = weights.recency / lastSeq
  const notAsking = 1 - weights.asking
  const best = new BestResults(limit)
  const bound = boundOf(ranking, stretchScores, date?.most ?? 0)
  let least = 0
  for (let place = 0; place < size; place += 1) {
    const own = scores[place]!
    if (own < least) continue
    const seq = seqs[place]!
    const dated = date === null ? 0 : date.at(minutes[seq]!)
    if (own === 0 && !(query.onlyDates && dated > 0)) continue
    let total = own + weights.stretch * stretchScores[stretches[place]!]! + dated
    if (isNamed[speakers[seq]!] === 1) total *= 1 + weights.speaker
    if (asks[place] === 1) total *= notAsking
    total *= 1 + perSeq * seq
    if (!best.wouldKeep(seq, total) || !scorer.hasRequired(place)) continue
    if (accepts !== undefined && !accepts(seq)) continue
    best.add(seq, total)
    least = bound(best.worst())
  }
  return best.sorted()
}

/**
 * For a total score, the least own score that a message needs to reach it, even if everything else is in its
 * favour.
 */
function boundOf(
  { weights, named }: Ranking,
  stretchScores: Float64Array,
  mostForDate: number,
): (total: number) => number {
  const added =
    weights.stretch * stretchScores.reduce((most, score) => Math.max(most, score), 0) + mostForDate
  const factor = (named.places.size > 0 ? 1 + weights.speaker : 1) * (1 + weights.recency)
  return total => total / factor - added
}

function namedMarks({ index, named }: Ranking): Uint8Array {
  const marks = new Uint8Array(index.speakerNames.length)
  for (const place of named.places) marks[place] = 1
  return marks
}

/** The score of a message for the time when it was said. `null`: the query names no time. */
function dateScores({ query, index, collection, weights }: Ranking) {
  const ranges = timeRanges(query, index)
  if (ranges.length === 0) return null
  const after = ranges.map(({ to }) => ({ from: to, to: to + MINUTES_TOLD_AFTER }))
  const most = weights.date * rarity(collection.dated, collection.messages)
  const at = (minute: number) => {
    if (isWithin(ranges, minute)) return most
    return isWithin(after, minute) ? most * TOLD_AFTER : 0
  }
  return { most, at }
}
