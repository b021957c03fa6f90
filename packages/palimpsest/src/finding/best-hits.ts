import { searchableText } from '../log/index.ts'
import { collectionOf, countTerms, rank, refine, type SearchQuery } from '../search/index.ts'
import { runInSlices } from '../slices.ts'
import { keyName, type LogStore, type SessionKey } from '../store/index.ts'
import { isSought } from './is-sought.ts'
import type { SearchedSession } from './look-up.ts'
import { Pace } from './pace.ts'

type Reader = Pick<LogStore, 'readMessages'>

export interface Hit {
  readonly key: SessionKey
  readonly seq: number
  readonly score: number
}

/** Which messages of a session may be results. `undefined`: any message. */
export type Accepts = (session: SearchedSession) => Accept

interface Search {
  readonly query: SearchQuery
  readonly searched: readonly SearchedSession[]
  readonly accepts: Accepts
  readonly wanted: number
}

/**
 * The order does not depend on how many hits are wanted, so pages neither repeat nor leave out a message. If
 * a query names something verbatim, all messages that may hold it are read first, and those that hold it move
 * to the front. If it quotes phrases, the others are read in their order until there are enough.
 */
export async function bestHits(log: Reader, search: Search): Promise<readonly Hit[]> {
  const { query, searched, wanted } = search
  const ranking: Ranking = {
    ...search,
    collection: collectionOf(
      query,
      searched.map(({ index }) => index),
    ),
  }
  const first = query.verbatim.length > 0 ? await verbatimHits(log, ranking) : []
  const isFirst = new Set(first.map(hitName))
  const hasPhrases = query.phrases.length > 0
  const ranked = await rankAll(ranking, hasPhrases ? MAX_CANDIDATES : wanted + first.length)
  const others = ranked.filter(hit => !isFirst.has(hitName(hit)))
  const seen = hasPhrases ? await refineAll(log, query, others, wanted) : others
  return inOrder([...first, ...seen]).slice(0, wanted)
}

interface Ranking extends Search {
  readonly collection: ReturnType<typeof collectionOf>
}

const MAX_CANDIDATES = 1_000_000
const MAX_VERBATIM = 1_000
const TEXTS_AT_A_TIME = 100

/**
 * Messages that hold every term of a part that the query names verbatim. Their scores take their texts into
 * account.
 */
async function verbatimHits(log: Reader, ranking: Ranking): Promise<readonly Hit[]> {
  const { query, accepts } = ranking
  const parts = query.verbatim.map(part => [...countTerms(part).keys()].filter(isIndexedAlike))
  const may: Accepts = session => both(accepts(session), holdsAll(parts, session.index))
  const candidates = await rankAll({ ...ranking, accepts: may }, MAX_VERBATIM)
  return refineAll(log, query, candidates, candidates.length)
}

/**
 * In scripts without spaces, a run of letters ends at another place in a message than in a query. The last
 * single letter of the query's run is no term in the message.
 */
function isIndexedAlike(term: string): boolean {
  return [...term].length > 1 || !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(term)
}

function holdsAll(
  parts: readonly (readonly string[])[],
  { postings, lastSeq }: SearchedSession['index'],
): (seq: number) => boolean {
  const isHolder = new Uint8Array(lastSeq + 1)
  for (const terms of parts) {
    const counts = new Uint8Array(lastSeq + 1)
    const looked = terms.filter(term => postings.has(term)).slice(0, 200)
    if (looked.length < Math.min(terms.length, 200)) continue
    for (const term of looked) for (const seq of postings.get(term)!.seqs) counts[seq]! += 1
    for (let seq = 0; seq <= lastSeq; seq++) if (counts[seq] === looked.length) isHolder[seq] = 1
  }
  return seq => isHolder[seq] === 1
}

function hitName({ key, seq }: Hit): string {
  return `${seq} ${key.id}`
}

/** If scores are equal: by session id, then the newer message first. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted(
    (one, other) =>
      other.score - one.score ||
      (one.key.id < other.key.id ? -1 : one.key.id > other.key.id ? 1 : other.seq - one.seq),
  )
}

async function rankAll(
  { query, searched, accepts, collection }: Ranking,
  limit: number,
): Promise<readonly Hit[]> {
  const pace = new Pace()
  const hits: Hit[] = []
  for (const session of searched) {
    const isAccepted = both(accepts(session), isLookUp(query) ? holdsAny(query, session.index) : undefined)
    for (const { seq, score } of rank(query, session.index, { limit, collection, accepts: isAccepted }))
      hits.push({ key: session.key, seq, score })
    await pace.keep()
  }
  return searched.length > 1 ? inOrder(hits).slice(0, limit) : hits
}

type Accept = ((seq: number) => boolean) | undefined

function both(one: Accept, other: Accept): Accept {
  return one && other ? seq => one(seq) && other(seq) : (one ?? other)
}

/**
 * A question in words wants the answer, which may stand beside the message with those words. A look-up of one
 * or two words wants only the messages that hold them.
 */
function isLookUp({ text, terms, onlyDates }: SearchQuery): boolean {
  if (onlyDates || text.split(' ').length > MAX_LOOKED_UP_WORDS) return false
  return terms.filter(({ weight }) => weight > 0).length <= MAX_LOOKED_UP_TERMS
}

const MAX_LOOKED_UP_WORDS = 2
/** In scripts without spaces, this many terms make one or two words. */
const MAX_LOOKED_UP_TERMS = 4

function holdsAny(query: SearchQuery, { postings, lastSeq }: SearchedSession['index']) {
  const isWanted = isSought(query)
  const isHolder = new Uint8Array(lastSeq + 1)
  for (const [name, { seqs }] of postings) if (isWanted(name)) for (const seq of seqs) isHolder[seq] = 1
  return (seq: number) => isHolder[seq] === 1
}

/** Reads the texts page by page, in the order of the candidates, until there are enough hits. */
async function refineAll(
  log: Reader,
  query: SearchQuery,
  candidates: readonly Hit[],
  enough: number,
): Promise<readonly Hit[]> {
  const pace = new Pace()
  const refined: Hit[] = []
  for (let from = 0; from < candidates.length && refined.length < enough; from += TEXTS_AT_A_TIME) {
    refined.push(...(await refinePage(log, query, candidates.slice(from, from + TEXTS_AT_A_TIME))))
    await pace.keep()
  }
  return refined
}

/** The result has no particular order. */
async function refinePage(
  log: Reader,
  query: SearchQuery,
  candidates: readonly Hit[],
): Promise<readonly Hit[]> {
  const refined: Hit[] = []
  for (const ofSession of Map.groupBy(candidates, ({ key }) => keyName(key)).values()) {
    const { key } = ofSession[0]!
    const seqs = ofSession.map(({ seq }) => seq)
    const texts = new Map<number, string>()
    for (const { seq, content } of await log.readMessages(key, { seqs }))
      texts.set(seq, searchableText(content))
    const found = await runInSlices(refine(ofSession, seq => texts.get(seq) ?? '', query))
    for (const { seq, score } of found) refined.push({ key, seq, score })
  }
  return refined
}
