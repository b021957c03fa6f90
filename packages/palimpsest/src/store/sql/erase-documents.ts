import type { LayerName } from '../document.ts'
import { deleteSome } from './delete-some.ts'
import { lockDocuments } from './document-locks.ts'
import { keepNewestEvent } from './erase-events.ts'
import type { ErasureStep, Slice } from './erasure-slice.ts'
import { keyOf } from './keys.ts'
import { allIn } from './many.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * Documents that are erased whole. First they leave their namespace, so that no caller finds them and their
 * keys are free. Their rows follow slice by slice.
 */

/** A namespace that no caller can ask for. */
function hiddenNamespace({ id }: Slice): string {
  return `\u0001erasure/${id}`
}

interface HiddenDocument {
  readonly id: number
  readonly layer: LayerName
  readonly name: string
  readonly name_key: string
  readonly version: number
}

const COLUMNS = 'id, layer, name, name_key, version'

/** The caller holds the session's lock. Without that lock no process writes the session's documents. */
export function* hideDocumentsOf(sessionId: number, slice: Slice): Steps<void> {
  yield* hide(
    yield* all<HiddenDocument>(`SELECT ${COLUMNS} FROM documents WHERE session_id = ?1`, sessionId),
    slice,
  )
}

export function* hideDocument(layer: LayerName, key: string, slice: Slice): Steps<void> {
  yield* lockDocuments([{ namespace: slice.namespace, layer, key }], slice.dialect)
  const document = yield* first<HiddenDocument>(
    `SELECT ${COLUMNS} FROM documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3`,
    slice.namespace,
    layer,
    keyOf(key),
  )
  if (document) yield* hide([document], slice)
}

/** Documents of scopes that belong to this person alone. */
export function* hideOwnedDocuments(owner: string, slice: Slice): Steps<void> {
  const owned = yield* all<{ layer: LayerName; name: string }>(
    'SELECT layer, name FROM documents WHERE namespace = ?1 AND owner_id = ?2',
    slice.namespace,
    owner,
  )
  for (const { layer, name } of owned) yield* hideDocument(layer, name, slice)
}

const DOCUMENTS_AT_A_TIME = 100

/** All documents of a namespace. Its sessions are hidden by now, and their documents with them. */
export const hideAllDocuments: ErasureStep = function* (slice, cursor) {
  const { namespace, dialect } = slice
  const documents = yield* all<HiddenDocument>(
    `SELECT ${COLUMNS} FROM documents WHERE namespace = ?1 ORDER BY layer, name_key LIMIT ${DOCUMENTS_AT_A_TIME}`,
    namespace,
  )
  if (documents.length === 0) return cursor === null ? 'nothing' : 'done'
  const keys = documents.map(({ layer, name }) => ({ namespace, layer, key: name }))
  yield* lockDocuments(keys, dialect)
  yield* hide(documents, slice)
  return { next: {} }
}

function* hide(documents: readonly HiddenDocument[], slice: Slice): Steps<void> {
  yield* noteFiles(documents, slice)
  const hidden = yield* allIn<{ version: number }>(
    `UPDATE documents SET namespace = ?1, name_key = CAST(id AS TEXT), session_id = NULL, day = NULL, owner_id = NULL
     WHERE id IN (*) RETURNING version`,
    [hiddenNamespace(slice)],
    documents.map(({ id }) => id),
  )
  for (const { version } of hidden) slice.exceed(version)
  slice.count('documents', hidden.length)
}

/** If there is or was a workspace, the documents' files have to go, too. */
function* noteFiles(documents: readonly HiddenDocument[], { namespace }: Slice): Steps<void> {
  const mirror = yield* first('SELECT folder FROM mirrors WHERE namespace = ?1', namespace)
  if (!mirror) return
  yield* noteErasedDocuments(
    namespace,
    documents.map(({ layer, name }) => ({ layer, key: name })),
  )
}

export function* noteErasedDocuments(
  namespace: string,
  documents: readonly { layer: LayerName; key: string }[],
): Steps<void> {
  for (const { layer, key } of documents)
    yield* run(
      `INSERT INTO erased_documents (namespace, layer, name_key, name) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT DO NOTHING`,
      namespace,
      layer,
      keyOf(key),
      key,
    )
}

/** The file has already lost what the erasure took from the document. So the file is the newer of the two. */
export function* trustFiles(
  namespace: string,
  documents: readonly { layer: LayerName; key: string }[],
): Steps<void> {
  yield* forgetErasedDocuments(namespace, documents)
  yield* run(
    `UPDATE documents SET mirrored_version = version, mirrored_hash = NULL
     WHERE namespace = ?1 AND mirrored_version > 0 AND mirrored_version < first_version`,
    namespace,
  )
}

export const emptyDocuments: ErasureStep = function* (slice, cursor) {
  const document = yield* first<{ id: number }>(
    'SELECT id FROM documents WHERE namespace = ?1 ORDER BY layer, name_key LIMIT 1',
    hiddenNamespace(slice),
  )
  if (!document) return cursor === null ? 'nothing' : 'done'
  yield* emptyDocument(document.id, slice)
  return { next: {} }
}

const PARTS = [
  { table: 'document_versions', key: 'version', place: 'documentVersions' },
  { table: 'facts', key: 'id', place: 'facts' },
  { table: 'packs', key: 'id', place: null },
  { table: 'events', key: 'id', place: 'events' },
] as const

function* emptyDocument(id: number, slice: Slice): Steps<void> {
  yield* keepNewestEvent(slice)
  for (const { table, key, place } of PARTS) {
    const gone = yield* deleteSome({ table, where: 'document_id = ?1', key }, id)
    if (place) slice.count(place, gone.length)
    if (gone.length > 0) return
  }
  yield* run('DELETE FROM documents WHERE id = ?1', id)
}

export function* listErasedDocuments(namespace: string): Steps<readonly { layer: LayerName; key: string }[]> {
  return yield* all<{ layer: LayerName; key: string }>(
    'SELECT layer, name AS key FROM erased_documents WHERE namespace = ?1 ORDER BY layer, name_key',
    namespace,
  )
}

export function* forgetErasedDocuments(
  namespace: string,
  documents: readonly { layer: LayerName; key: string }[],
): Steps<void> {
  for (const { layer, key } of documents)
    yield* run(
      'DELETE FROM erased_documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3',
      namespace,
      layer,
      keyOf(key),
    )
}
