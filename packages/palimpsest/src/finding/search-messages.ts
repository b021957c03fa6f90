import { InvalidArgumentError } from '../errors.ts'
import type { Message, Sender } from '../log/index.ts'
import { parseQuery, type SearchQuery } from '../search/index.ts'
import type { SessionKey, Store } from '../store/index.ts'
import { bestHits, type Hit } from './best-hits.ts'
import { describeHits, type SearchResult } from './describe-hits.ts'
import { lookUp } from './look-up.ts'
import {
  checkSessions,
  checkWithin,
  filterOf,
  offsetOf,
  peopleCalled,
  type SearchOptions,
  type SessionsOptions,
} from './search-options.ts'

export interface SearchAnswer {
  /** Best first. */
  readonly results: readonly SearchResult[]
  /** `null`: there are no more. */
  readonly next: string | null
  /** If `sender` is a name that several people have: these people. An id finds one of them. */
  readonly people?: readonly Sender[]
}

export interface SearchEngine {
  readonly store: Pick<Store, 'search' | 'log'>
  readonly namespace: string
  readonly zone: string
}

const MAX_RESULTS = 100
const MAX_NEIGHBOURS = 5

export async function searchMessages(
  engine: SearchEngine,
  text: string,
  options: SearchOptions & SessionsOptions = {},
): Promise<SearchAnswer> {
  const { limit = 10, neighbours = 1 } = options
  checkWithin('limit', limit, { least: 1, most: MAX_RESULTS })
  checkWithin('neighbours', neighbours, { least: 0, most: MAX_NEIGHBOURS })
  const offset = offsetOf(options.cursor)
  // One hit more tells whether there is another page.
  const { query, hits, people } = await findHits(engine, text, { ...options, most: offset + limit + 1 })
  const page = hits.slice(offset, offset + limit)
  return {
    results: await describeHits(engine.store.log, query, page, neighbours),
    next: hits.length > offset + limit ? String(offset + limit) : null,
    ...(people.length > 1 && { people }),
  }
}

/** The best messages of one session, best first. With `below`, only those below that `seq`. */
export async function findMessages(
  engine: SearchEngine,
  key: SessionKey,
  text: string,
  options: Pick<SearchOptions, 'sender' | 'after' | 'before'> & {
    readonly below?: number
    readonly limit: number
  },
): Promise<{ readonly messages: readonly Message[]; readonly people: readonly Sender[] }> {
  const { below = Number.POSITIVE_INFINITY, limit, ...filter } = options
  const { hits, people } = await findHits(engine, text, { ...filter, sessions: [key.id], most: limit, below })
  const messages = await engine.store.log.readMessages(key, {
    seqs: hits.map(({ seq }) => seq),
    answered: true,
  })
  const bySeq = new Map(messages.map(message => [message.seq, message]))
  const found = hits.map(({ seq }) => bySeq.get(seq)).filter(message => message !== undefined)
  return { messages: found, people }
}

/** The places of messages, best first, and the query as it was understood. */
export async function findHits(
  { store, namespace, zone }: SearchEngine,
  text: string,
  options: Pick<SearchOptions, 'sender' | 'role' | 'after' | 'before'> &
    SessionsOptions & { readonly most: number; readonly below?: number },
): Promise<{
  readonly query: SearchQuery
  readonly hits: readonly Hit[]
  readonly people: readonly Sender[]
}> {
  if (typeof text !== 'string') throw new InvalidArgumentError('query', text, 'text')
  const { sessions, user, scope, most } = options
  checkSessions({ sessions, user, scope })
  const accepts = filterOf(options, zone)
  const query = parseQuery(text, { zone })
  if (query.terms.length === 0) return { query, hits: [], people: [] }
  const searched = await lookUp(store, namespace, {
    query,
    ...(sessions && { sessions }),
    ...(user !== undefined && { user }),
    ...(scope !== undefined && { scope }),
  })
  const { sender } = options
  const people =
    sender === undefined
      ? []
      : peopleCalled(
          searched.flatMap(({ speakers }) => speakers),
          sender,
        )
  return { query, hits: await bestHits(store.log, { query, searched, accepts, wanted: most }), people }
}
