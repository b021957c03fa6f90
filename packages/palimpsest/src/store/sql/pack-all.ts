import type { LayerName } from '../document.ts'
import { lockDocuments } from './document-locks.ts'
import { DOCUMENT_COLUMNS, type DocumentRow } from './documents.ts'
import type { Dialect } from './driver.ts'
import { lockSessionById } from './erase-session.ts'
import { shortKey } from './facts.ts'
import { packDays, packMore } from './pack-documents.ts'
import { packSegments } from './pack-segments.ts'
import { isPacked } from './packs.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * Packs what was stored before there were packs, a part in each transaction. A `null` as the next cursor
 * means that this part was the last. Anything that is already packed stays as it is, so the work may start
 * again at any time.
 */

const SEGMENTS_AT_A_TIME = 100

export interface SegmentCursor {
  readonly session: number
  readonly segment: number
}

/** Rolled-up segments, session by session. */
export function* packAllSegments(
  { session: sessionId, segment }: SegmentCursor,
  dialect: Dialect,
): Steps<SegmentCursor | null> {
  const known = yield* first<{ id: number; namespace: string }>(
    'SELECT id, namespace FROM sessions WHERE id >= ?1 ORDER BY id LIMIT 1',
    sessionId,
  )
  if (!known) return null
  const next = { session: known.id + 1, segment: 0 }
  if (!(yield* lockSessionById(known.id, { ...known, dialect }))) return next
  const after = known.id === sessionId ? segment : 0
  const rows = yield* all<{ id: number }>(
    `SELECT id FROM segments WHERE session_id = ?1 AND id > ?2 AND rolled_into IS NOT NULL AND NOT ${isPacked('text')}
     ORDER BY id LIMIT ${SEGMENTS_AT_A_TIME}`,
    known.id,
    after,
  )
  const ids = rows.map(({ id }) => id)
  yield* packSegments(known.id, ids)
  if (ids.length < SEGMENTS_AT_A_TIME) return next
  return { session: known.id, segment: ids.at(-1)! }
}

/** Old versions of documents, and the days of chats that are over. */
export function* packAllDocuments(from: number, dialect: Dialect): Steps<number | null> {
  const known = yield* first<{
    id: number
    namespace: string
    layer: LayerName
    name: string
    session_id: number | null
  }>('SELECT id, namespace, layer, name, session_id FROM documents WHERE id >= ?1 ORDER BY id LIMIT 1', from)
  if (!known) return null
  const { id, namespace, layer, name: key, session_id } = known
  // Sessions are locked before documents, as everywhere.
  const owner = session_id === null ? undefined : yield* lockSessionById(session_id, { namespace, dialect })
  yield* lockDocuments([{ namespace, layer, key }], dialect)
  const document = yield* findDocumentIn(namespace, id)
  if (document && (yield* packMore(document))) return id
  if (owner && layer === 'chat' && (yield* packDays(owner.id, dialect))) return id
  return id + 1
}

/** A document that an erasure has hidden meanwhile is not found. */
function* findDocumentIn(namespace: string, id: number): Steps<DocumentRow | undefined> {
  if (namespace.startsWith('\u0001')) return undefined
  return yield* first<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE id = ?1 AND namespace = ?2`,
    id,
    namespace,
  )
}

const FACTS_AT_A_TIME = 500

export interface FactCursor {
  readonly document: number
  readonly fact: number
}

/** Shortens the keys of facts whose keys are as long as their lines. */
export function* shortenKeys({ document, fact }: FactCursor): Steps<FactCursor | null> {
  const rows = yield* all<{ document_id: number; id: number; line: string; key: string }>(
    `SELECT document_id, id, line, line_key AS key FROM facts WHERE (document_id, id) > (?1, ?2)
     ORDER BY document_id, id LIMIT ${FACTS_AT_A_TIME}`,
    document,
    fact,
  )
  for (const { document_id, id, line, key } of rows)
    if (key.startsWith('"'))
      yield* run(
        'UPDATE facts SET line_key = ?3 WHERE document_id = ?1 AND id = ?2 AND line_key = ?4',
        document_id,
        id,
        shortKey(JSON.parse(line) as string),
        // Another fact may have taken this number since the read.
        key,
      )
  const last = rows.at(-1)
  return rows.length < FACTS_AT_A_TIME || !last ? null : { document: last.document_id, fact: last.id }
}
