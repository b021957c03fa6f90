import { EpochConflictError, PalimpsestError, SessionNotFoundError } from '../../errors.ts'
import type {
  CopyPage,
  CopyPlace,
  CopyRecord,
  CopyRow,
  CopyState,
  CopyTable,
  NamespaceCount,
} from '../copying.ts'
import type { DocumentKey } from '../document.ts'
import type { SessionKey } from '../store.ts'
import {
  ALIAS_COPIED,
  ALLOWANCE_COPIED,
  BEGINNING_COPIED,
  COPY_OPERATION,
  DOCUMENT_COPIED,
  DOCUMENT_VERSION_COPIED,
  FACT_COPIED,
  HIDDEN_COPIED,
  MEMO_COPIED,
  MESSAGE_COPIED,
  OPERATION_COPIED,
  PIN_COPIED,
  SCHEDULE_COPIED,
  SEGMENT_COPIED,
  SESSION_COPIED,
  VERSION_COPIED,
  WAITING_COPIED,
} from './copy-columns.ts'
import { readLastSeq } from './head.ts'
import { digestOf, keyOf } from './keys.ts'
import type { SessionRow } from './rows.ts'
import { findSession } from './session.ts'
import { all, first, type Row, type Steps } from './steps.ts'

/** The reading side of a copy. */

type Values = CopyRow['values']

/** Page by page through the index, because there may be many sessions and few namespaces. */
export function* listNamespaces(page: {
  readonly after?: string
  readonly limit: number
}): Steps<readonly NamespaceCount[]> {
  const found: NamespaceCount[] = []
  let { after = '' } = page
  while (found.length < page.limit) {
    const next = yield* first<{ namespace: string | null }>(
      `SELECT min(namespace) AS namespace FROM (
         SELECT min(namespace) AS namespace FROM sessions WHERE namespace > ?1 AND ready = 1
         UNION ALL SELECT min(namespace) FROM documents WHERE namespace > ?1
         UNION ALL SELECT min(namespace) FROM settings WHERE namespace > ?1
         UNION ALL SELECT min(namespace) FROM api_keys WHERE namespace > ?1) AS each`,
      after,
    )
    if (next?.namespace == null) return found
    after = next.namespace
    const counted = yield* first<{ sessions: number }>(
      'SELECT count(*) AS sessions FROM sessions WHERE namespace = ?1 AND ready = 1',
      after,
    )
    found.push({ namespace: after, sessions: counted!.sessions })
  }
  return found
}

export function* readCopyState(key: SessionKey): Steps<CopyState | null> {
  const session = yield* findSession(key)
  return session ? yield* stateOf(session) : null
}

export function* stateOf(session: SessionRow): Steps<CopyState> {
  const lastSeq = yield* readLastSeq(session)
  const { session: said, schedule } = yield* readOwnRow(session)
  const documents = yield* all(
    `SELECT d.layer, d.name_key, d.version, d.first_version, d.updated_at,
       (SELECT count(*) FROM facts f WHERE f.document_id = d.id) AS facts,
       (SELECT count(*) FROM facts f WHERE f.document_id = d.id AND (superseded_at IS NOT NULL OR gone > 0)) AS past
     FROM documents d WHERE d.session_id = ?1 ORDER BY d.layer, d.name_key`,
    session.id,
  )
  const pins = yield* readPart(session, 'pins', PIN_COPIED, 'id')
  const content = JSON.stringify([lastSeq, said, documents, pins])
  const waiting = yield* readPart(session, 'waiting', WAITING_COPIED, 'id')
  return {
    epoch: session.epoch,
    createdAt: new Date(session.created_at),
    lastSeq,
    mark: digestOf(JSON.stringify([content, schedule, waiting, ...(yield* readBotRows(session))])),
    contentMark: digestOf(content),
    copied: yield* readCopyRecord(session.id),
  }
}

export function* readCopyRecord(sessionId: number): Steps<CopyRecord | null> {
  const row = yield* first<{ result: string }>(
    'SELECT result FROM operations WHERE session_id = ?1 AND operation_id = ?2',
    sessionId,
    COPY_OPERATION,
  )
  return row ? (JSON.parse(row.result) as CopyRecord) : null
}

/** For small rows, of which there are as many as there were folds. */
const ROWS_AT_A_TIME = 200
const FEWEST_MESSAGES = 8
const MAX_MESSAGES = 512
/** The characters of a page, roughly. This bounds the memory in use, whatever the messages hold. */
const PAGE_CHARACTERS = 500_000

export function* readCopyPage(key: SessionKey, place: CopyPlace | null): Steps<CopyPage> {
  const session = yield* findSession(key)
  if (!session) throw new SessionNotFoundError(key.id)
  if (place && place.epoch !== session.epoch)
    throw new EpochConflictError({ sessionId: key.id, expected: place.epoch, actual: session.epoch })
  return yield* pageOf(session, place ?? firstPlace(session))
}

export function firstPlace({ epoch }: Pick<SessionRow, 'epoch'>): CopyPlace {
  return { epoch, part: 'segments', after: 0, limit: ROWS_AT_A_TIME }
}

/**
 * Takes as many parts as fit: most sessions are one page. Messages come last, together with all that can
 * change without an epoch, so that both are of one instant.
 */
export function* pageOf(session: SessionRow, place: CopyPlace): Steps<CopyPage> {
  const { epoch } = session
  const rows: CopyRow[] = []
  let { part, after } = place
  while (part !== 'messages') {
    const [columns, number] = part === 'segments' ? [SEGMENT_COPIED, 'id'] : [MEMO_COPIED, 'version']
    const found = yield* all<Row>(
      `SELECT ${columns.join(', ')} FROM ${part} WHERE session_id = ?1 AND ${number} > ?2
       ORDER BY ${number} LIMIT ?3`,
      session.id,
      after,
      place.limit,
    )
    for (const values of found) rows.push(rowOf(part, values))
    if (found.length === place.limit) {
      const last = found.at(-1)![number] as number
      return { rows, next: { epoch, part, after: last, limit: place.limit } }
    }
    part = part === 'segments' ? 'memos' : 'messages'
    after = 0
  }
  const page = yield* readMessages(session, { epoch, part, after, limit: place.limit })
  return { rows: [...rows, ...page.rows], next: page.next }
}

function rowOf(table: CopyTable, values: Row): CopyRow {
  return { table, values: values as Values }
}

function* readMessages(session: SessionRow, place: CopyPlace): Steps<CopyPage> {
  const columns = MESSAGE_COPIED.map(column => `m.${column}`).join(', ')
  const messages = yield* all<Row>(
    `SELECT ${columns}, p.sender_key, p.sender FROM messages m LEFT JOIN senders p ON p.id = m.sender_id
     WHERE m.session_id = ?1 AND m.seq > ?2 ORDER BY m.seq LIMIT ?3`,
    session.id,
    place.after,
    place.limit,
  )
  const last = (messages.at(-1)?.['seq'] as number | undefined) ?? place.after
  const edited = messages.some(message => (message['version'] as number) > 1)
  const versions = edited ? yield* readVersions(session, { after: place.after, through: last }) : new Map()
  const rows = messages.flatMap(message => [
    rowOf('messages', message),
    ...(versions.get(message['seq']) ?? []).map((version: Row) => rowOf('message_versions', version)),
  ])
  if (messages.length < place.limit) return { rows: [...rows, ...(yield* readRest(session))], next: null }
  const characters = messages.reduce((sum, { content }) => sum + String(content).length, 0)
  const fitting = Math.floor((place.limit * PAGE_CHARACTERS) / Math.max(1, characters))
  const limit = Math.max(FEWEST_MESSAGES, Math.min(MAX_MESSAGES, fitting))
  return { rows, next: { ...place, after: last, limit } }
}

function* readVersions(session: SessionRow, range: { readonly after: number; readonly through: number }) {
  const rows = yield* all<Row>(
    `SELECT ${VERSION_COPIED.join(', ')} FROM message_versions
     WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq, version`,
    session.id,
    range.after,
    range.through,
  )
  return Map.groupBy(rows, row => row['seq'])
}

function* readRest(session: SessionRow): Steps<readonly CopyRow[]> {
  const documents: CopyRow[] = []
  const ids = yield* all<{ id: number }>(
    'SELECT id FROM documents WHERE session_id = ?1 ORDER BY layer, name_key',
    session.id,
  )
  for (const { id } of ids) documents.push(...(yield* readDocumentRows(id)))
  const { session: said, schedule } = yield* readOwnRow(session)
  return [
    ...(yield* readPart(session, 'hidden_ranges', HIDDEN_COPIED, 'from_seq')),
    ...(yield* readPart(session, 'beginnings', BEGINNING_COPIED, 'after_seq')),
    ...(yield* readPart(session, 'pins', PIN_COPIED, 'id')),
    ...documents,
    ...(yield* readPart(session, 'waiting', WAITING_COPIED, 'id')),
    ...(yield* readBotRows(session)),
    ...(yield* readPart(session, 'operations', OPERATION_COPIED, 'operation_id')).filter(
      ({ values }) => values['operation_id'] !== COPY_OPERATION,
    ),
    rowOf('schedule', schedule),
    rowOf('session', said),
  ]
}

/** Rows that bots keep with their chats. */
function* readBotRows(session: SessionRow): Steps<readonly CopyRow[]> {
  return [
    ...(yield* readPart(session, 'aliases', ALIAS_COPIED, 'name_key')),
    ...(yield* readPart(session, 'allowances', ALLOWANCE_COPIED, 'kind')),
  ]
}

function* readPart(
  { id }: SessionRow,
  table: 'hidden_ranges' | 'beginnings' | 'pins' | 'waiting' | 'aliases' | 'allowances' | 'operations',
  columns: readonly string[],
  order: string,
): Steps<readonly CopyRow[]> {
  const rows = yield* all<Row>(
    `SELECT ${columns.join(', ')} FROM ${table} WHERE session_id = ?1 ORDER BY ${order}`,
    id,
  )
  return rows.map(values => rowOf(table, values))
}

/** Epochs count from the first one. Earlier erasures under this name concern only this store. */
function* readOwnRow({ id }: SessionRow): Steps<{ readonly session: Row; readonly schedule: Row }> {
  const row = (yield* first<Row>(
    `SELECT ${[...SESSION_COPIED, ...SCHEDULE_COPIED].join(', ')}, epoch FROM sessions WHERE id = ?1`,
    id,
  ))!
  const pick = (columns: readonly string[]) => columns.map(column => [column, row[column]!] as const)
  const epoch = (row['epoch'] as number) - (row['first_epoch'] as number)
  return {
    session: Object.fromEntries([...pick(SESSION_COPIED), ['epoch', epoch]]),
    schedule: Object.fromEntries(pick(SCHEDULE_COPIED)),
  }
}

/** `null` if there is no such document. */
export function* readDocumentCopy({ namespace, layer, key }: DocumentKey): Steps<readonly CopyRow[] | null> {
  const row = yield* first<{ id: number }>(
    'SELECT id FROM documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3',
    namespace,
    layer,
    keyOf(key),
  )
  return row ? yield* readDocumentRows(row.id) : null
}

/**
 * Versions count from the first that is there. Lines that an erasure has condemned must not live on in a
 * copy.
 */
function* readDocumentRows(id: number): Steps<readonly CopyRow[]> {
  const document = (yield* first<Row>(
    `SELECT ${DOCUMENT_COPIED.join(', ')}, version - first_version + 1 AS version, first_version FROM documents
     WHERE id = ?1`,
    id,
  ))!
  const start = document['first_version'] as number
  const versions = yield* all<Row>(
    `SELECT version - ?2 + 1 AS version, undoes - ?2 + 1 AS undoes, ${DOCUMENT_VERSION_COPIED.join(', ')}
     FROM document_versions WHERE document_id = ?1 AND version >= ?2 ORDER BY document_versions.version`,
    id,
    start,
  )
  const facts = yield* all<Row>(
    `SELECT ${FACT_COPIED.map(column => `f.${column}`).join(', ')}, f.version - ?2 + 1 AS version,
       f.superseded_by - ?2 + 1 AS superseded_by, CASE WHEN s.ready = 1 THEN s.name END AS session_name
     FROM facts f LEFT JOIN sessions s ON s.id = f.session_id WHERE f.document_id = ?1 ORDER BY f.id`,
    id,
    start,
  )
  if (facts.some(({ gone }) => (gone as number) > 1)) throw erasureUnderWay()
  return [
    rowOf('documents', document),
    ...versions.map(values => rowOf('document_versions', values)),
    ...facts.map(values => rowOf('facts', values)),
  ]
}

function erasureUnderWay(): PalimpsestError {
  return new PalimpsestError(
    'store_busy',
    'An erasure is under way: what it takes away must not live on in a copy. Let it finish and copy again.',
    {},
  )
}
