import { InvalidArgumentError } from '../errors.ts'
import {
  headOf,
  ID_RULE,
  isId,
  type Message,
  parseInstant,
  ROLES,
  type Role,
  type Sender,
  searchableText,
} from '../log/index.ts'
import {
  collectionOf,
  countTerms,
  excerptOf,
  parseQuery,
  rank,
  refine,
  type SearchQuery,
} from '../search/index.ts'
import { keyName, type SessionKey, type Store } from '../store/index.ts'
import { lookUp, type SearchedSession } from './look-up.ts'
import { Pace } from './pace.ts'

export interface SearchOptions {
  /** How many results; the default: 10, at most 100. */
  readonly limit?: number
  /** Where the page before this one ended: its `next`. */
  readonly cursor?: string
  /** Only what they said, by id or display name; a role for messages without a sender. */
  readonly sender?: string
  readonly role?: Role
  /** From this instant on, to the minute: a date, or a text such as `2026-02-10` or `2026-02-10T14:00`, in the zone of the instance. */
  readonly after?: Date | string
  /** Up to, but not including, this instant. */
  readonly before?: Date | string
  /** How many of the messages before and after each result are shown with it; the default: 1, at most 5. */
  readonly neighbours?: number
}

/** Which sessions are searched; all of them together, each narrows it down. */
export interface SessionsOptions {
  readonly sessions?: readonly string[]
  /** Sessions that belong to this user. */
  readonly user?: string
  readonly scope?: string
}

export interface Excerpt {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  readonly at: Date
  /** The passage that answers best, of a neighbour the beginning, with … where it was cut. */
  readonly excerpt: string
}

export interface SearchResult extends Excerpt {
  readonly sessionId: string
  readonly externalId: string | null
  readonly score: number
  /** Covered by a segment: no longer raw in the context. */
  readonly archived: boolean
  /** Where in the excerpt the words stand that were searched for, as pairs of from and to. */
  readonly highlights: readonly (readonly [from: number, to: number])[]
  /** What was said right before and after it, oldest first. */
  readonly before: readonly Excerpt[]
  readonly after: readonly Excerpt[]
}

export interface SearchAnswer {
  /** Best first. */
  readonly results: readonly SearchResult[]
  /** `null`: there are no more. */
  readonly next: string | null
}

export interface SearchEngine {
  readonly store: Pick<Store, 'readSearch' | 'readMessages' | 'readMessagesAt'>
  readonly namespace: string
  readonly zone: string
}

const MOST_RESULTS = 100
const MOST_NEIGHBOURS = 5
const EXCERPT_CHARACTERS = 160
const NEIGHBOUR_CHARACTERS = 100
const LONGEST_PASSAGE = 20_000

export async function searchMessages(
  engine: SearchEngine,
  text: string,
  options: SearchOptions & SessionsOptions = {},
): Promise<SearchAnswer> {
  const { limit = 10, neighbours = 1 } = options
  checkWithin('limit', limit, { least: 1, most: MOST_RESULTS })
  checkWithin('neighbours', neighbours, { least: 0, most: MOST_NEIGHBOURS })
  const offset = offsetOf(options.cursor)
  // One more tells whether there is another page.
  const { query, hits } = await findHits(engine, text, { ...options, most: offset + limit + 1 })
  const page = hits.slice(offset, offset + limit)
  return {
    results: await describe(engine.store, query, page, neighbours),
    next: hits.length > offset + limit ? String(offset + limit) : null,
  }
}

/** The best of one session as they were said, best first; without those above a `seq`, if one is given. */
export async function findMessages(
  engine: SearchEngine,
  key: SessionKey,
  text: string,
  options: Pick<SearchOptions, 'sender' | 'after' | 'before'> & {
    readonly below?: number
    readonly limit: number
  },
): Promise<readonly Message[]> {
  const { below = Number.POSITIVE_INFINITY, limit, ...filter } = options
  const { hits } = await findHits(engine, text, { ...filter, sessions: [key.id], most: limit, below })
  const messages = await engine.store.readMessagesAt(
    key,
    hits.map(({ seq }) => seq),
  )
  const bySeq = new Map(messages.map(message => [message.seq, message]))
  return hits.map(({ seq }) => bySeq.get(seq)).filter(message => message !== undefined)
}

async function findHits(
  { store, namespace, zone }: SearchEngine,
  text: string,
  options: Pick<SearchOptions, 'sender' | 'role' | 'after' | 'before'> &
    SessionsOptions & { readonly most: number; readonly below?: number },
): Promise<{ readonly query: SearchQuery; readonly hits: readonly Hit[] }> {
  if (typeof text !== 'string') throw new InvalidArgumentError('query', text, 'text')
  const { sessions, user, scope, most } = options
  checkSessions({ sessions, user, scope })
  const accepts = filterOf(options, zone)
  const query = parseQuery(text, { zone })
  if (query.terms.length === 0) return { query, hits: [] }
  const searched = await lookUp(store, namespace, {
    query,
    ...(sessions && { sessions }),
    ...(user !== undefined && { user }),
    ...(scope !== undefined && { scope }),
  })
  return { query, hits: await bestHits(store, { query, searched, accepts, wanted: most }) }
}

interface Hit {
  readonly key: SessionKey
  readonly seq: number
  readonly score: number
}

type Accepts = (session: SearchedSession) => Accept

interface Search {
  readonly query: SearchQuery
  readonly searched: readonly SearchedSession[]
  readonly accepts: Accepts
  readonly wanted: number
}

/**
 * The same order whatever is wanted of it, so that pages neither repeat nor leave out. Where a query names something
 * verbatim, all messages that may hold it are looked at first, and those that do come forward; where it quotes
 * phrases, the others are looked at in their order until there are enough.
 */
async function bestHits(store: SearchEngine['store'], search: Search): Promise<readonly Hit[]> {
  const { query, wanted } = search
  const first = query.verbatim.length > 0 ? await verbatimHits(store, search) : []
  if (query.phrases.length === 0) {
    const isFirst = new Set(first.map(hitName))
    const others = (await rankAll(search, wanted + first.length)).filter(hit => !isFirst.has(hitName(hit)))
    return inOrder([...first, ...others]).slice(0, wanted)
  }
  const isFirst = new Set(first.map(hitName))
  const others: Hit[] = []
  const pace = new Pace()
  const candidates = (await rankAll(search, MOST_CANDIDATES)).filter(hit => !isFirst.has(hitName(hit)))
  for (let from = 0; from < candidates.length && others.length < wanted; from += TEXTS_AT_A_TIME) {
    others.push(...(await refineAll(store, query, candidates.slice(from, from + TEXTS_AT_A_TIME))))
    await pace.keep()
  }
  return inOrder([...first, ...others]).slice(0, wanted)
}

const MOST_CANDIDATES = 1_000_000
const MOST_VERBATIM = 1_000
const TEXTS_AT_A_TIME = 100

/** Messages that hold every term of something that the query names verbatim, as they count once their texts are seen. */
async function verbatimHits(store: SearchEngine['store'], search: Search): Promise<readonly Hit[]> {
  const { query, accepts } = search
  const parts = query.verbatim.map(part => [...countTerms(part).keys()].filter(isIndexedAlike))
  const may: Accepts = session => both(accepts(session), holdsAll(parts, session.index))
  const candidates = await rankAll({ ...search, accepts: may }, MOST_VERBATIM)
  const pace = new Pace()
  const refined: Hit[] = []
  for (let from = 0; from < candidates.length; from += TEXTS_AT_A_TIME) {
    refined.push(...(await refineAll(store, query, candidates.slice(from, from + TEXTS_AT_A_TIME))))
    await pace.keep()
  }
  return refined
}

/** A run of letters without spaces ends elsewhere in a message than in a query: its last letter is no term there. */
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

/** Of equal ones the newer first; over several sessions in the order of their ids. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted(
    (one, other) =>
      other.score - one.score ||
      (one.key.id < other.key.id ? -1 : one.key.id > other.key.id ? 1 : other.seq - one.seq),
  )
}

async function rankAll(
  { query, searched, accepts }: Omit<Search, 'wanted'>,
  limit: number,
): Promise<readonly Hit[]> {
  const collection = collectionOf(
    query,
    searched.map(({ index }) => index),
  )
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
 * Who asks in words wants the answer, and that may stand beside the message with the words. Who looks up a word or
 * two wants the messages that hold them, and no others.
 */
function isLookUp({ text, terms, onlyDates }: SearchQuery): boolean {
  if (onlyDates || text.split(' ').length > MOST_LOOKED_UP_WORDS) return false
  return terms.filter(({ weight }) => weight > 0).length <= MOST_LOOKED_UP_TERMS
}

const MOST_LOOKED_UP_WORDS = 2
/** Where words are not spaced, so many terms are a word or two. */
const MOST_LOOKED_UP_TERMS = 4

function holdsAny({ terms }: SearchQuery, { postings, lastSeq }: SearchedSession['index']) {
  const sought = terms.filter(({ weight }) => weight > 0)
  const isSought = (name: string) =>
    sought.some(({ term, prefix }) => (prefix ? name.startsWith(term) : name === term))
  const isHolder = new Uint8Array(lastSeq + 1)
  for (const [name, { seqs }] of postings) if (isSought(name)) for (const seq of seqs) isHolder[seq] = 1
  return (seq: number) => isHolder[seq] === 1
}

/** With what their texts say; in no particular order. */
async function refineAll(
  store: SearchEngine['store'],
  query: SearchQuery,
  candidates: readonly Hit[],
): Promise<readonly Hit[]> {
  const refined: Hit[] = []
  for (const ofSession of Map.groupBy(candidates, ({ key }) => keyName(key)).values()) {
    const { key } = ofSession[0]!
    const seqs = ofSession.map(({ seq }) => seq)
    const texts = new Map<number, string>()
    for (const { seq, content } of await store.readMessagesAt(key, seqs))
      texts.set(seq, searchableText(content))
    for (const { seq, score } of refine(ofSession, seq => texts.get(seq) ?? '', query))
      refined.push({ key, seq, score })
  }
  return refined
}

async function describe(
  store: SearchEngine['store'],
  query: SearchQuery,
  hits: readonly Hit[],
  neighbours: number,
): Promise<readonly SearchResult[]> {
  const results = new Map<Hit, SearchResult>()
  for (const ofSession of Map.groupBy(hits, ({ key }) => keyName(key)).values()) {
    const { key } = ofSession[0]!
    const wanted = ofSession.flatMap(({ seq }) =>
      Array.from({ length: 2 * neighbours + 1 }, (_, place) => seq + place - neighbours),
    )
    const messages = new Map(
      (
        await store.readMessagesAt(
          key,
          wanted.filter(seq => seq > 0),
        )
      ).map(message => [message.seq, message]),
    )
    const around = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, place) => messages.get(from + place))
        .filter(message => message !== undefined)
        .map(toNeighbour)
    for (const hit of ofSession) {
      const message = messages.get(hit.seq)
      // It was erased or hidden since.
      if (!message) continue
      const { seq, role, sender, at, externalId, archived, content } = message
      const passage = aroundFirst(searchableText(content), query)
      const { text, highlights } = excerptOf(passage, query, { length: EXCERPT_CHARACTERS })
      results.set(hit, {
        sessionId: key.id,
        seq,
        externalId,
        role,
        sender,
        at,
        score: hit.score,
        archived,
        excerpt: text,
        highlights,
        before: around(seq - neighbours, seq - 1),
        after: around(seq + 1, seq + neighbours),
      })
    }
  }
  return hits.map(hit => results.get(hit)).filter(result => result !== undefined)
}

/** Of a very long text, the part in which a word of the query stands first: all of it would take too long to read. */
function aroundFirst(text: string, { text: query }: SearchQuery): string {
  if (text.length <= LONGEST_PASSAGE) return text
  const lower = text.toLowerCase()
  const words = query.split(' ').sort((one, other) => other.length - one.length)
  const found = words.map(word => lower.indexOf(word)).find(place => place >= 0) ?? 0
  const from = Math.max(0, found - LONGEST_PASSAGE / 2)
  const part = text.slice(from, from + LONGEST_PASSAGE).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + LONGEST_PASSAGE < text.length ? '…' : ''}`
}

function toNeighbour({ seq, role, sender, at, content }: Message): Excerpt {
  const text = searchableText(content)
  const isLong = text.length > NEIGHBOUR_CHARACTERS
  return { seq, role, sender, at, excerpt: isLong ? `${headOf(text, NEIGHBOUR_CHARACTERS)}…` : text }
}

function checkWithin(field: string, value: unknown, { least, most }: { least: number; most: number }): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
    throw new InvalidArgumentError(field, value, `a whole number from ${least} to ${most}`)
}

function checkSessions({ sessions, user, scope }: { [Name in keyof SessionsOptions]: unknown }): void {
  if (sessions !== undefined && !Array.isArray(sessions))
    throw new InvalidArgumentError('sessions', sessions, 'a list of ids of sessions')
  for (const id of (sessions as readonly unknown[] | undefined) ?? []) checkId('sessions', id)
  if (user !== undefined) checkId('user', user)
  if (scope !== undefined) checkId('scope', scope)
}

function checkId(field: string, value: unknown): void {
  if (!isId(value)) throw new InvalidArgumentError(field, value, ID_RULE)
}

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (typeof cursor !== 'string' || !/^\d{1,9}$/.test(cursor))
    throw new InvalidArgumentError('cursor', cursor, 'what an earlier answer gave as next')
  return Number(cursor)
}

/** By the columns of the index: no message is read for it. */
function filterOf(
  options: Pick<SearchOptions, 'sender' | 'role' | 'after' | 'before'> & { readonly below?: number },
  zone: string,
): Accepts {
  const { sender, role, below = Number.POSITIVE_INFINITY } = options
  if (role !== undefined && !ROLES.includes(role))
    throw new InvalidArgumentError('role', role, ROLES.join(', '))
  // The index knows the minute.
  const from = Math.floor((instantOf('after', options.after, zone) ?? Number.NEGATIVE_INFINITY) / 60_000)
  const until = Math.ceil((instantOf('before', options.before, zone) ?? Number.POSITIVE_INFINITY) / 60_000)
  const isBounded = [from, until, below].some(Number.isFinite)
  if (sender === undefined && role === undefined && !isBounded) return () => undefined
  return ({ index, speakers }) => {
    const isSpeaker = speakers.map(
      speaker =>
        (role === undefined || speaker.role === role) && (sender === undefined || isFrom(speaker, sender)),
    )
    return seq => {
      const minute = index.minutes[seq]!
      return seq < below && isSpeaker[index.speakers[seq]!]! && minute >= from && minute < until
    }
  }
}

function isFrom({ role, sender }: { role: Role; sender: Sender | null }, wanted: string): boolean {
  return sender === null ? role === wanted : sender.id === wanted || sender.name === wanted
}

/** A day begins at midnight, there where the instance is. */
function instantOf(field: string, value: Date | string | undefined, zone: string): number | null {
  if (value === undefined) return null
  const text =
    value instanceof Date ? (Number.isNaN(value.getTime()) ? '' : value.toISOString()) : String(value)
  const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text, zone)
  if (instant === null)
    throw new InvalidArgumentError(
      field,
      value,
      'a day or an instant, such as 2026-02-10 or 2026-02-10T14:00Z',
    )
  return instant
}
