import type { Source } from '../document.ts'
import type { ErasurePlace } from '../erasure.ts'
import { deleteSome, ROWS_AT_A_TIME } from './delete-some.ts'
import { findDocument } from './documents.ts'
import { hideDocumentsOf } from './erase-documents.ts'
import { retireSenders } from './erase-senders.ts'
import { type ErasureStep, ownerOf, type Progress, type Slice } from './erasure-slice.ts'
import { recordEvent } from './events.ts'
import { doomBuildsOf } from './forks.ts'
import { readLastSeq } from './head.ts'
import { keyOf } from './keys.ts'
import { allIn } from './many.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { noteErasedName } from './seen.ts'
import { lockSession } from './session.ts'
import { all, first, forgetJobs, run, type Steps } from './steps.ts'

/**
 * Sessions that are erased whole. First they lose their name and all that is known by it. From then on no
 * caller sees them, and another session may take the name. Then their rows go slice by slice, and the
 * session's row goes last.
 */

/** Locks a session by its own number, for a writer. Returns nothing if the session has lost its name. */
export function* lockSessionById(
  id: number,
  { namespace, dialect }: Pick<Slice, 'namespace' | 'dialect'>,
): Steps<SessionRow | undefined> {
  const known = yield* first<{ name: string }>(
    'SELECT name FROM sessions WHERE id = ?1 AND namespace = ?2 AND ready = 1',
    id,
    namespace,
  )
  const session = known && (yield* lockSession({ namespace, id: known.name }, dialect))
  return session?.id === id ? session : undefined
}

/** Hides the session that the erasure names. */
export const hideTarget: ErasureStep = function* (slice, cursor) {
  const session = yield* lockSessionById((cursor as { session: number }).session, slice)
  if (session) yield* hideSession(session, slice)
  return 'done'
}

/** The caller holds the session's lock. */
export function* hideSession(session: SessionRow, slice: Slice): Steps<void> {
  const { namespace, now } = slice
  yield* hideDocumentsOf(session.id, slice)
  yield* doomBuildsOf(session, slice)
  // The jobs of a whole namespace go together.
  if (slice.target.kind !== 'namespace') yield* forgetJobs({ forget: { namespace, session: session.name } })
  const lease = yield* first<{ token: number }>(
    'DELETE FROM leases WHERE namespace = ?1 AND name = ?2 RETURNING token',
    namespace,
    keyOf(`extraction/${session.name}`),
  )
  yield* noteErasedName(session)
  // A new session starts with the highest of these as its epoch, and its tokens lie above it.
  for (const number of [session.epoch + 2, session.lease_token, lease?.token ?? 0]) slice.exceed(number)
  yield* recordEvent({
    sessionId: session.id,
    type: 'messages-erased',
    at: now,
    fromSeq: 1,
    toSeq: yield* readLastSeq(session),
  })
  yield* run(
    `UPDATE sessions SET ready = 2, name_key = ?2, lease_owner = ?3, lease_until = NULL, epoch = epoch + 1,
       last_outcome = NULL, pending = NULL, due_at = NULL, extract_at = NULL, corrections = NULL, rebuild_at = NULL,
       settings = NULL WHERE id = ?1`,
    session.id,
    hiddenName(session.id, slice),
    ownerOf(slice),
  )
  slice.count('sessions', 1)
  if (session.last_outcome !== null || session.pending !== null) slice.count('outcomes', 1)
  if (session.settings !== null) slice.count('settings', 1)
}

/** As with a build: a name that no caller can ask for. */
function hiddenName(sessionId: number, slice: Slice): string {
  return `\u0001${ownerOf(slice)}/${sessionId}`
}

const PARTS: readonly {
  readonly table: string
  readonly key: string
  readonly place: ErasurePlace | null
}[] = [
  { table: 'message_versions', key: 'seq, version', place: 'versions' },
  { table: 'segments', key: 'id', place: 'segments' },
  { table: 'packs', key: 'id', place: null },
  { table: 'memos', key: 'version', place: 'memos' },
  { table: 'pins', key: 'id', place: 'pins' },
  { table: 'index_blocks', key: 'block', place: 'index' },
  { table: 'index_changes', key: 'seq', place: null },
  { table: 'hidden_ranges', key: 'from_seq', place: null },
  { table: 'beginnings', key: 'after_seq', place: null },
  { table: 'operations', key: 'operation_id', place: null },
  { table: 'waiting', key: 'seq', place: null },
  { table: 'aliases', key: 'namespace, name_key', place: null },
  { table: 'allowances', key: 'kind', place: null },
  { table: 'spending', key: 'model, window_start', place: null },
]

export const emptySessions: ErasureStep = function* (slice, cursor) {
  const session = yield* first<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ready > 1 AND ready = 2 AND lease_owner = ?1 ORDER BY id LIMIT 1`,
    ownerOf(slice),
  )
  if (!session) return cursor === null ? 'nothing' : 'done'
  const isMore = yield* emptySession(session, slice)
  if (!isMore) yield* run('UPDATE sessions SET ready = 3 WHERE id = ?1', session.id)
  return { next: {} } satisfies Progress
}

/** `false`: nothing is left. */
function* emptySession(session: SessionRow, slice: Slice): Steps<boolean> {
  // If all documents of the namespace go, no facts have to be taken out of them.
  if (slice.target.kind !== 'namespace') {
    if (yield* condemnFactsOf(session)) return true
    if (yield* forgetSourcesOf(session, slice)) return true
  }
  if (yield* deleteMessages(session, slice)) return true
  if (yield* deletePostings(session)) return true
  for (const { table, key, place } of PARTS) {
    const gone = yield* deleteSome({ table, where: 'session_id = ?1', key }, session.id)
    if (place) slice.count(place, gone.length)
    if (gone.length > 0) return true
  }
  return false
}

/** Facts that the session taught to other documents. */
function* condemnFactsOf({ id }: SessionRow): Steps<boolean> {
  const facts = yield* all(
    `UPDATE facts SET gone = 2 WHERE session_id = ?1 AND gone < 2 AND (document_id, id) IN (
       SELECT document_id, id FROM facts WHERE session_id = ?1 AND gone < 2 LIMIT ${ROWS_AT_A_TIME}) RETURNING id`,
    id,
  )
  return facts.length > 0
}

const VERSIONS_AT_A_TIME = 200

/**
 * Versions of shared documents name the session's messages as sources. Only documents that it could write are
 * searched.
 */
function* forgetSourcesOf(session: SessionRow, { namespace }: Slice): Steps<boolean> {
  const keys = [
    { layer: 'persona' as const, key: '' },
    { layer: 'global' as const, key: '' },
    ...(session.user_id === null ? [] : [{ layer: 'user' as const, key: session.user_id }]),
    ...(session.scope_id === null ? [] : [{ layer: 'scope' as const, key: session.scope_id }]),
  ]
  for (const key of keys) {
    const document = yield* findDocument({ namespace, ...key })
    const rows = document
      ? yield* all<{ version: number; sources: string }>(
          `SELECT version, sources FROM document_versions
           WHERE document_id = ?1 AND replace(sources, ?2, '') <> sources ORDER BY version LIMIT ${VERSIONS_AT_A_TIME}`,
          document.id,
          JSON.stringify({ sessionId: session.name }).slice(1, -1),
        )
      : []
    for (const { version, sources } of rows) {
      const left = (JSON.parse(sources) as Source[]).filter(({ sessionId }) => sessionId !== session.name)
      yield* run(
        'UPDATE document_versions SET sources = ?3 WHERE document_id = ?1 AND version = ?2',
        document!.id,
        version,
        left.length === 0 ? null : JSON.stringify(left),
      )
    }
    if (rows.length > 0) return true
  }
  return false
}

function* deleteMessages(session: SessionRow, slice: Slice): Steps<boolean> {
  const gone = yield* deleteSome<{ sender_id: number | null }>(
    { table: 'messages', where: 'session_id = ?1', key: 'seq', returning: 'sender_id' },
    session.id,
  )
  slice.count('messages', gone.length)
  if (slice.target.kind === 'session' || slice.target.kind === 'person')
    yield* retireSenders(
      gone.flatMap(({ sender_id }) => sender_id ?? []),
      slice,
    )
  return gone.length > 0
}

/** Deletes by term. A common term may have some more rows than the limit. */
function* deletePostings({ id }: SessionRow): Steps<boolean> {
  const gone = yield* all(
    `DELETE FROM postings WHERE session_id = ?1 AND term IN (
       SELECT term FROM postings WHERE session_id = ?1 ORDER BY term LIMIT ${ROWS_AT_A_TIME}) RETURNING term`,
    id,
  )
  return gone.length > 0
}

const SESSIONS_AT_A_TIME = 200

export const forgetSessions: ErasureStep = function* (slice, cursor) {
  if (yield* forgetOldFolds(slice)) return { next: {} }
  const gone = yield* all(
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE ready > 1 AND ready = 3 AND lease_owner = ?1 LIMIT ${SESSIONS_AT_A_TIME})
     RETURNING id`,
    ownerOf(slice),
  )
  if (gone.length === 0) return cursor === null ? 'nothing' : 'done'
  return { next: {} }
}

/**
 * Runs after the events are deleted: by then, folds that were trimmed from them meanwhile are in the history.
 */
function* forgetOldFolds(slice: Slice): Steps<boolean> {
  const sessions = yield* all<{ id: number }>(
    `SELECT id FROM sessions WHERE ready > 1 AND ready = 3 AND lease_owner = ?1 LIMIT ${SESSIONS_AT_A_TIME}`,
    ownerOf(slice),
  )
  const [left] = yield* allIn<{ session_id: number }>(
    'SELECT session_id FROM fold_history WHERE session_id IN (*) LIMIT 1',
    [],
    sessions.map(({ id }) => id),
  )
  if (!left) return false
  const gone = yield* deleteSome(
    { table: 'fold_history', where: 'session_id = ?1', key: 'id' },
    left.session_id,
  )
  slice.count('events', gone.length)
  return true
}
