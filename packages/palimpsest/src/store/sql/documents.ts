import { ScopeOwnedError, SessionNotFoundError } from '../../errors.ts'
import {
  type Author,
  type DocumentKey,
  type DocumentRecord,
  type DocumentVersion,
  type DocumentWrite,
  documentSession,
  type Fact,
  type LayerName,
  parseDailyKey,
  type Source,
} from '../document.ts'
import { keyName, type SessionKey } from '../store.ts'
import { inWriteOrder, lockDocuments } from './document-locks.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { condemnedLines, readFacts, readFactsIn, recordFacts, withoutLines } from './facts.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import { forgetContent, packPast } from './pack-documents.ts'
import type { SessionRow } from './rows.ts'
import { findSession, lockExistingSession } from './session.ts'
import { all, first, run, type Steps } from './steps.ts'
import { deltaBack, goBack, type TextDelta } from './text-delta.ts'

/**
 * Documents and their versions. The newest version is stored whole, and each earlier one as the way back to
 * it.
 */

export interface DocumentRow {
  readonly id: number
  readonly layer: LayerName
  readonly name: string
  readonly version: number
  /** Earlier versions are gone. */
  readonly first_version: number
  /** The last version that is packed. */
  readonly packed_through: number
  readonly tokens: number
  readonly created_at: number
  readonly updated_at: number
  /** The owner of a scope that was declared personal. */
  readonly owner_id: string | null
  readonly content: string
}

export const DOCUMENT_COLUMNS =
  'id, layer, name, version, first_version, packed_through, tokens, created_at, updated_at, owner_id, content'

export function* findDocument({ namespace, layer, key }: DocumentKey): Steps<DocumentRow | undefined> {
  return yield* first<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3`,
    namespace,
    layer,
    keyOf(key),
  )
}

export function* findDocumentById(id: number): Steps<DocumentRow | undefined> {
  return yield* first<DocumentRow>(`SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE id = ?1`, id)
}

export function* readDocument(key: DocumentKey): Steps<DocumentRecord | null> {
  const row = yield* findDocument(key)
  return row ? yield* toReadable(row) : null
}

function* toReadable(row: DocumentRow): Steps<DocumentRecord> {
  const document = toDocument(row)
  const condemned = yield* condemnedLines(row.id)
  return condemned.length === 0
    ? document
    : { ...document, content: withoutLines(document.content, condemned) }
}

function toDocument(row: DocumentRow): DocumentRecord {
  return { ...toListed(row), content: JSON.parse(row.content) as string }
}

function toListed(
  row: Omit<DocumentRow, 'content' | 'first_version' | 'packed_through'>,
): Omit<DocumentRecord, 'content'> {
  return {
    layer: row.layer,
    key: row.name,
    ...(row.owner_id !== null && { owner: row.owner_id }),
    version: row.version,
    tokens: row.tokens,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }
}

export function* listDocuments(
  namespace: string,
  page: { layer?: LayerName; after?: { layer: LayerName; key: string }; limit: number },
): Steps<readonly Omit<DocumentRecord, 'content'>[]> {
  const { layer, after, limit } = page
  // Each layer has its own range in the index. An empty key is a key, too: persona and global have it.
  const from =
    after && (layer === undefined || after.layer >= layer) ? after : { layer: layer ?? '', key: '' }
  const rows = yield* all<Omit<DocumentRow, 'content' | 'first_version' | 'packed_through'>>(
    `SELECT id, layer, name, version, tokens, created_at, updated_at, owner_id FROM documents
     WHERE namespace = ?1 AND (layer, name_key) ${from === after ? '>' : '>='} (?2, ?3) AND layer <= ?4
     ORDER BY layer, name_key LIMIT ?5`,
    namespace,
    from.layer,
    keyOf(from.key),
    layer ?? '\uffff',
    limit,
  )
  return rows.map(toListed)
}

export function* changeDocuments(
  writes: readonly DocumentWrite[],
  dialect: Dialect,
): Steps<readonly (DocumentRecord | null)[]> {
  const keys = writes.map(({ key }) => key)
  yield* lockSessions(writes, dialect)
  yield* lockDocuments(keys, dialect)
  return yield* writeDocuments(writes)
}

/**
 * Locks the sessions in one order everywhere, also across namespaces. If a name occurs twice, the key with
 * what its caller has seen counts.
 */
function* lockSessions(writes: readonly DocumentWrite[], dialect: Dialect): Steps<void> {
  const sessions = [
    ...writes.map(({ key }) => sessionOf(key)).filter(session => session !== null),
    ...writes.flatMap(({ from }) => from ?? []),
  ]
  const byName = new Map(sessions.map(session => [keyName(session), session]))
  for (const name of [...byName.keys()].sort()) yield* lockExistingSession(byName.get(name)!, dialect)
}

/** `null`: the document belongs to no session. */
function sessionOf({ namespace, layer, key }: DocumentKey): SessionKey | null {
  const id = documentSession({ layer, key })
  if (id !== null) return { namespace, id }
  // A daily log without its session would belong to no session.
  if (layer === 'daily') throw new SessionNotFoundError(key)
  return null
}

function* findOwner(key: DocumentKey): Steps<SessionRow | null> {
  const session = sessionOf(key)
  if (session === null) return null
  const owner = yield* findSession(session)
  if (!owner) throw new SessionNotFoundError(session.id)
  return owner
}

/** The caller holds the locks. */
export function* writeDocuments(writes: readonly DocumentWrite[]): Steps<readonly (DocumentRecord | null)[]> {
  const written = writes.map((): DocumentRecord | null => null)
  for (const [index, write] of inWriteOrder([...writes.entries()], ([, { key }]) => key))
    written[index] = yield* writeDocument(write)
  return written
}

function* writeDocument(write: DocumentWrite): Steps<DocumentRecord | null> {
  const row = yield* findDocument(write.key)
  const { owner } = write
  if (owner !== undefined && row && (row.owner_id ?? owner) !== owner)
    throw new ScopeOwnedError(write.key.key)
  const current = row ? yield* toReadable(row) : null
  const edit = write.change(current)
  if (edit === null) return current
  const { facts = [], superseded = [] } = edit
  const isSame = edit.content === (current?.content ?? '')
  const isAboutFacts = facts.length > 0 || (superseded.length > 0 && row !== undefined)
  const isDeclared = owner !== undefined && row?.owner_id !== owner
  if (isSame && !isAboutFacts && !isDeclared) return current
  const stored = isSame && row ? row : yield* storeVersion(write, row, edit)
  const document = isDeclared ? yield* declareOwner(stored, owner) : stored
  const { namespace } = write.key
  yield* recordFacts(document, { namespace, facts, superseded, now: write.now })
  return toDocument(document)
}

function* declareOwner(row: DocumentRow, owner: string): Steps<DocumentRow> {
  yield* run('UPDATE documents SET owner_id = ?2 WHERE id = ?1', row.id, owner)
  return { ...row, owner_id: owner }
}

function* storeVersion(
  { key, author, sources, now }: DocumentWrite,
  row: DocumentRow | undefined,
  { content, tokens, undoes }: { content: string; tokens: number; undoes?: number },
): Steps<DocumentRow> {
  const owner = yield* findOwner(key)
  if (row) yield* forgetContent(row)
  const stored = row
    ? yield* first<DocumentRow>(
        `UPDATE documents SET version = version + 1, content = ?2, tokens = ?3, updated_at = ?4 WHERE id = ?1
         RETURNING ${DOCUMENT_COLUMNS}`,
        row.id,
        JSON.stringify(content),
        tokens,
        now,
      )
    : yield* first<DocumentRow>(
        `INSERT INTO documents (namespace, layer, name_key, name, session_id, day, version, first_version,
           content, tokens, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ${FLOOR} + 1, ${FLOOR} + 1, ?7, ?8, ?9, ?9)
         RETURNING ${DOCUMENT_COLUMNS}`,
        key.namespace,
        key.layer,
        keyOf(key.key),
        key.key,
        owner?.id ?? null,
        key.layer === 'daily' ? (parseDailyKey(key.key)?.day ?? null) : null,
        JSON.stringify(content),
        tokens,
        now,
      )
  const { id, version } = stored!
  yield* insertVersion(id, {
    version,
    at: now,
    author,
    sources,
    undoes: undoes ?? null,
    back: deltaBack(row ? (JSON.parse(row.content) as string) : '', content),
    content,
  })
  yield* recordEvent({
    sessionId: owner?.id ?? 0,
    documentId: id,
    type: 'memory-changed',
    at: now,
    data: { layer: key.layer, key: key.key, version, author: author.kind },
  })
  yield* packPast(stored!)
  return stored!
}

export interface NewVersion {
  readonly version: number
  readonly at: number
  readonly author: Author
  readonly sources: readonly Source[]
  readonly undoes: number | null
  readonly back: TextDelta
  /** The text of this version. */
  readonly content: string
}

/** One of this many versions is kept whole. An old version is computed from the next whole one. */
const VERSIONS_TO_A_WHOLE = 64

export function* insertVersion(documentId: number, version: NewVersion): Steps<void> {
  yield* run(
    `INSERT INTO document_versions (document_id, version, at, author_kind, author_name, sources, undoes, back, whole)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    documentId,
    version.version,
    version.at,
    version.author.kind,
    version.author.name === null ? null : JSON.stringify(version.author.name),
    version.sources.length === 0 ? null : JSON.stringify(version.sources),
    version.undoes,
    JSON.stringify(version.back),
    version.version % VERSIONS_TO_A_WHOLE === 0 ? JSON.stringify(version.content) : null,
  )
}

export interface VersionRow {
  readonly version: number
  readonly at: number
  readonly author_kind: Author['kind']
  readonly author_name: string | null
  readonly sources: string | null
  readonly undoes: number | null
  readonly back: string
}

export function* readDocumentVersions(
  key: DocumentKey,
  page: { before?: number; limit: number },
): Steps<readonly DocumentVersion[]> {
  const row = yield* findDocument(key)
  return row ? yield* versionsOf(row, page) : []
}

export function* versionsOf(
  row: DocumentRow,
  { before = row.version + 1, limit }: { before?: number; limit: number },
): Steps<readonly DocumentVersion[]> {
  const last = Math.max(row.first_version, Math.min(before, row.version + 1) - limit)
  const start = yield* wholeAtOrAbove(row, before - 1)
  const rows = yield* all<VersionRow>(
    `SELECT version, at, author_kind, author_name, sources, undoes, back FROM document_versions
     WHERE document_id = ?1 AND version >= ?2 AND version <= ?3 ORDER BY version DESC`,
    row.id,
    last,
    start.version,
  )
  const versions: DocumentVersion[] = []
  let { content } = start
  for (const version of rows) {
    if (version.version < before)
      versions.push({
        version: version.version,
        content,
        author: {
          kind: version.author_kind,
          name: version.author_name === null ? null : JSON.parse(version.author_name),
        },
        sources: version.sources === null ? [] : JSON.parse(version.sources),
        at: new Date(version.at),
        undoes: version.undoes,
      })
    content = goBack(content, JSON.parse(version.back) as TextDelta)
  }
  return limit === 0 ? [] : versions
}

/** The next version from which it can be computed: one that is kept whole, or the newest. */
function* wholeAtOrAbove(row: DocumentRow, version: number): Steps<{ version: number; content: string }> {
  const newest = { version: row.version, content: JSON.parse(row.content) as string }
  const next = Math.ceil(Math.max(version, row.first_version) / VERSIONS_TO_A_WHOLE) * VERSIONS_TO_A_WHOLE
  if (next >= row.version) return newest
  const kept = yield* first<{ whole: string | null }>(
    'SELECT whole FROM document_versions WHERE document_id = ?1 AND version = ?2',
    row.id,
    next,
  )
  return kept?.whole == null ? newest : { version: next, content: JSON.parse(kept.whole) as string }
}

/** `null`: there is no such version. */
export function* contentAt(row: DocumentRow, version: number): Steps<string | null> {
  if (version < row.first_version || version > row.version) return null
  if (version === row.version) return JSON.parse(row.content) as string
  const [found] = yield* versionsOf(row, { before: version + 1, limit: 1 })
  return found?.content ?? null
}

export function* readDocumentFacts(key: DocumentKey, which: 'current' | 'all'): Steps<readonly Fact[]> {
  const row = yield* findDocument(key)
  if (!row) return []
  return which === 'all'
    ? yield* readFacts(row.id)
    : yield* readFactsIn(row.id, JSON.parse(row.content) as string)
}
