import type { Message } from '../../log/index.ts'
import type { Postings } from '../../search/index.ts'
import type { SearchPage, SearchRead, SearchRequest, WantedTerm } from '../search.ts'
import { type BlockRow, type KeptColumns, learnSpeakers } from './kept-columns.ts'
import { keyOf } from './keys.ts'
import { inLockstep } from './lockstep.ts'
import { allIn } from './many.ts'
import { type Columns, unpackPostings } from './postings.ts'
import {
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRow,
  type SessionRow,
  toKey,
  toMessage,
} from './rows.ts'
import { all, type Steps } from './steps.ts'
import type { HiddenRange } from './visible.ts'

interface SearchedSession {
  readonly id: number
  readonly namespace: string
  readonly name: string
  readonly erased_epoch: number | null
  readonly indexed_through: number
  readonly hidden_through: number
  readonly last_seq: number | null
}

interface PostingRow {
  readonly session_id: number
  readonly term: string
  readonly first: number
  readonly data: Uint8Array
}

const COLUMNS = `s.id, s.namespace, s.name, s.name_key, s.erased_epoch, s.indexed_through, s.hidden_through,
  (SELECT max(seq) FROM messages m WHERE m.session_id = s.id) AS last_seq`

/** Leaves out sessions that hold none of the terms, unless they have messages that are not indexed. */
export function* readSearch(namespace: string, request: SearchRequest, kept: KeptColumns): Steps<SearchPage> {
  const sessions = yield* readSessions(namespace, request)
  const ids = sessions.map(({ id }) => id)
  const [postings, edited] = yield* inLockstep([readPostings(ids, request.terms), readEdited(ids)])
  const searched = sessions.filter(
    ({ id, indexed_through, last_seq }) =>
      request.withoutTerms || postings.has(id) || edited.has(id) || (last_seq ?? 0) > indexed_through,
  )
  const [blocks, hidden] = yield* inLockstep([readBlocks(searched), readHidden(searched)])
  const reads = searched.map(session => {
    const columns = kept.of(session)
    const read = toRead(session, columns.read(blocks.get(session.id) ?? [], session.last_seq ?? 0), {
      postings: postings.get(session.id) ?? new Map(),
      hidden: hidden.get(session.id) ?? [],
      edited: edited.get(session.id) ?? [],
    })
    return { columns, read }
  })
  yield* learnSpeakers(reads.map(({ columns }) => columns))
  kept.forgetOldest()
  return {
    reads: reads.map(({ columns: { speakers, names }, read }) => ({
      ...read,
      speakers,
      index: { ...read.index, speakerNames: names },
    })),
    next: sessions.length < request.page.limit ? null : sessions.at(-1)!.name,
  }
}

function* readSessions(
  namespace: string,
  { sessions, user, scope, page }: SearchRequest,
): Steps<readonly SearchedSession[]> {
  const filters = [user !== undefined && 's.user_id', scope !== undefined && 's.scope_id'].filter(
    column => column !== false,
  )
  const conditions = filters.map((column, place) => ` AND ${isId(column, `?${place + 4}`)}`).join('')
  const parameters = [
    namespace,
    page.after === undefined ? '' : keyOf(page.after),
    page.limit,
    ...[user, scope].filter(value => value !== undefined),
  ]
  const isNamed = sessions === undefined ? '' : ' AND s.name_key IN (*)'
  const select = `SELECT ${COLUMNS} FROM sessions s
    WHERE s.namespace = ?1 AND s.name_key > ?2 AND s.ready = 1${conditions}${isNamed} ORDER BY s.name_key LIMIT ?3`
  if (sessions === undefined) return yield* all<SearchedSession>(select, ...parameters)
  const found = yield* allIn<SearchedSession & { name_key: string }>(select, parameters, [
    ...new Set(sessions.map(keyOf)),
  ])
  return found.toSorted((one, other) => (one.name_key < other.name_key ? -1 : 1)).slice(0, page.limit)
}

/** The database indexes hold the beginning of an id, because an id may be longer than they allow. */
function isId(column: string, parameter: string): string {
  return `substr(${column}, 1, 200) = substr(CAST(${parameter} AS TEXT), 1, 200) AND ${column} = ${parameter}`
}

/** Postings by session and term. A prefix gives all terms that begin with it. */
function* readPostings(
  sessionIds: readonly number[],
  terms: readonly WantedTerm[],
): Steps<Map<number, Map<string, Postings>>> {
  const found = new Map<number, Map<string, Postings>>()
  for (const rows of yield* inLockstep(terms.map(term => readRows(sessionIds, term)))) {
    for (const [id, ofSession] of Map.groupBy(rows, row => row.session_id)) {
      const terms = found.get(id) ?? new Map<string, Postings>()
      for (const [term, ofTerm] of Map.groupBy(ofSession, row => row.term))
        terms.set(term, unpackPostings(ofTerm.toSorted((one, other) => one.first - other.first)))
      found.set(id, terms)
    }
  }
  return found
}

function* readRows(sessionIds: readonly number[], wanted: WantedTerm): Steps<readonly PostingRow[]> {
  const bounds = boundsOf(wanted)
  const isWithin = bounds.length === 1 ? 'term = ?1' : 'term >= ?1 AND term < ?2'
  return yield* allIn<PostingRow>(
    `SELECT session_id, term, first_seq AS first, data FROM postings WHERE ${isWithin} AND session_id IN (*)`,
    bounds,
    sessionIds,
  )
}

function* readBlocks(sessions: readonly SearchedSession[]): Steps<Map<number, BlockRow[]>> {
  const rows = yield* allIn<BlockRow & { session_id: number }>(
    'SELECT session_id, block, data FROM index_blocks WHERE session_id IN (*)',
    [],
    sessions.map(({ id }) => id),
  )
  return Map.groupBy(rows, row => row.session_id)
}

/** A term, or the range of all terms that begin with a prefix. Terms are in the order of their bytes. */
function boundsOf({ term, prefix }: WantedTerm): readonly string[] {
  if (!prefix) return [term]
  const characters = [...term]
  const last = characters.pop()!.codePointAt(0)!
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return [term, characters.join('') + String.fromCodePoint(next)]
}

function* readEdited(sessionIds: readonly number[]): Steps<Map<number, readonly number[]>> {
  const rows = yield* allIn<{ session_id: number; seq: number }>(
    'SELECT session_id, seq FROM index_changes WHERE session_id IN (*)',
    [],
    sessionIds,
  )
  const grouped = Map.groupBy(rows, row => row.session_id)
  return new Map([...grouped].map(([id, edited]) => [id, edited.map(({ seq }) => seq)]))
}

function* readHidden(sessions: readonly SearchedSession[]): Steps<Map<number, HiddenRange[]>> {
  const rows = yield* allIn<HiddenRange & { session_id: number }>(
    'SELECT session_id, from_seq, to_seq FROM hidden_ranges WHERE session_id IN (*)',
    [],
    sessions.filter(({ hidden_through }) => hidden_through > 0).map(({ id }) => id),
  )
  return Map.groupBy(rows, row => row.session_id)
}

/**
 * A message that is hidden, edited since, or not yet indexed gets no length, so that no caller takes it for
 * found.
 */
function toRead(
  session: SearchedSession,
  columns: Columns,
  read: {
    postings: ReadonlyMap<string, Postings>
    hidden: readonly HiddenRange[]
    edited: readonly number[]
  },
): Omit<SearchRead, 'speakers'> {
  const { lengths } = columns
  lengths.fill(0, session.indexed_through + 1)
  for (const { from_seq, to_seq } of read.hidden) lengths.fill(0, from_seq, to_seq + 1)
  for (const seq of read.edited) lengths[seq] = 0
  return {
    key: toKey(session),
    index: { ...columns, lastSeq: session.last_seq ?? 0, speakerNames: [], postings: read.postings },
    indexedThrough: session.indexed_through,
    edited: read.edited.filter(seq => seq <= session.indexed_through),
  }
}

export function* readMessagesAt(session: SessionRow, seqs: readonly number[]): Steps<readonly Message[]> {
  const hidden = session.hidden_through === 0 ? [] : yield* readHiddenOf(session)
  const isHidden = (seq: number) => hidden.some(({ from_seq, to_seq }) => from_seq <= seq && seq <= to_seq)
  const rows = yield* allIn<MessageRow>(
    `SELECT ${MESSAGE_COLUMNS} FROM ${MESSAGE_TABLES} WHERE session_id = ?1 AND seq IN (*)`,
    [session.id],
    [...new Set(seqs)].filter(seq => !isHidden(seq)),
  )
  return rows
    .toSorted((one, other) => one.seq - other.seq)
    .map(row => toMessage(row, session.name, session.compacted_through))
}

function* readHiddenOf({ id }: SessionRow): Steps<readonly HiddenRange[]> {
  return yield* all<HiddenRange>('SELECT from_seq, to_seq FROM hidden_ranges WHERE session_id = ?1', id)
}
