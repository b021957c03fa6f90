import type { Source } from '../document.ts'
import { lockDocuments } from './document-locks.ts'
import { DOCUMENT_COLUMNS, type DocumentRow, insertVersion, type VersionRow } from './documents.ts'
import { lockSessionById } from './erase-session.ts'
import type { ErasureStep, Slice } from './erasure-slice.ts'
import { recordEvent } from './events.ts'
import { lineKeys, replaceLines, standsIn } from './facts.ts'
import { runIn } from './many.ts'
import { forgetContent } from './pack-documents.ts'
import { forgetPacked } from './packs.ts'
import { findSession } from './session.ts'
import { all, first, run, type Steps } from './steps.ts'
import { deltaBack, goBack, type TextDelta } from './text-delta.ts'
import { sessionWithReply, withdrawReplies } from './waiting.ts'

/**
 * Removes the lines of erased facts from a document and from all its versions.
 *
 * The versions are written again, from the newest back, some in each transaction. Their new numbers lie above
 * the old ones, so anything frozen or remembered under an old number is never found again. Versions that are
 * not done yet lie below `first_version`, where no reader sees them. Above the newest of them stands an
 * anchor with its whole text. The next part needs only that anchor. Meanwhile other writers may write the
 * document as usual.
 */
export const rewriteDocuments: ErasureStep = function* (slice, cursor) {
  // For the document that was rewritten last, once that is committed. From then on no answer is stored that
  // has seen its old text.
  if (cursor !== null && (yield* withdrawAnswers(cursor as Found, slice))) return { next: cursor }
  const found = yield* first<Found>(
    // Not a join, so that no database begins with the documents: hardly any document has such a fact.
    `SELECT id, layer, name, session_id FROM documents WHERE id = (
       SELECT f.document_id FROM facts f WHERE f.gone > 1
         AND (SELECT d.namespace FROM documents d WHERE d.id = f.document_id) = ?1
       ORDER BY f.document_id LIMIT 1)`,
    slice.namespace,
  )
  if (!found) return 'nothing'
  const { namespace } = slice
  yield* lockDocuments([{ namespace, layer: found.layer, key: found.name }], slice.dialect)
  const document = yield* first<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE id = ?1 AND namespace = ?2`,
    found.id,
    namespace,
  )
  if (document) yield* rewriteSome(document, slice)
  return { next: found }
}

interface Found {
  readonly id: number
  readonly layer: DocumentRow['layer']
  readonly name: string
  readonly session_id: number | null
}

/** `false`: there are no such answers. */
function* withdrawAnswers(found: Found, slice: Slice): Steps<boolean> {
  const id = yield* sessionWithReply(slice.namespace, found)
  const session = id === undefined ? undefined : yield* lockSessionById(id, slice)
  if (session) yield* withdrawReplies(session)
  return id !== undefined
}

/** The limits for one transaction: this many versions, or this many characters of them. */
const VERSIONS_AT_A_TIME = 100
const CHARACTERS_AT_A_TIME = 250_000

/** The state of a pass over the versions. `content` is the old text of version `version`. */
interface Pass {
  readonly document: DocumentRow
  readonly version: number
  readonly content: string
  /** The same text after the rewrite. */
  readonly rewritten: string
  /** The number that is added to the old version numbers. */
  readonly offset: number
  readonly without: (content: string) => string
}

function* rewriteSome(document: DocumentRow, slice: Slice): Steps<void> {
  const anchor = yield* first<{ version: number; back: string }>(
    `SELECT version, back FROM document_versions
     WHERE document_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT 1`,
    document.id,
    document.first_version,
  )
  const pass = anchor ? yield* resume(document, anchor) : yield* begin(document, slice)
  yield* rewriteVersions(pass, slice)
}

function* resume(document: DocumentRow, anchor: { version: number; back: string }): Steps<Pass> {
  yield* deleteVersion(document.id, anchor.version)
  const without = withoutLines(yield* condemnedFacts(document.id))
  const content = goBack('', JSON.parse(anchor.back) as TextDelta)
  return {
    document,
    version: anchor.version - 1,
    content,
    rewritten: without(content),
    offset: document.first_version - anchor.version,
    without,
  }
}

interface FactRow {
  readonly id: number
  readonly line: string
  readonly session_id: number
  readonly from_seq: number
  readonly to_seq: number
  readonly version: number
  readonly superseded_by: number | null
  readonly gone: number
}

const FACT_COLUMNS = 'id, line, session_id, from_seq, to_seq, version, superseded_by, gone'

function* condemnedFacts(documentId: number): Steps<readonly FactRow[]> {
  return yield* all<FactRow>(
    `SELECT ${FACT_COLUMNS} FROM facts WHERE document_id = ?1 AND gone > 1 AND gone = 3`,
    documentId,
  )
}

function lineOf({ line }: FactRow): string {
  return JSON.parse(line) as string
}

function withoutLines(gone: readonly FactRow[]): (content: string) => string {
  const lines = linesOf(gone)
  return content => replaceLines(content, line => (lines.has(line) ? [] : null))
}

/** Empty lines belong to no fact. */
function linesOf(facts: readonly FactRow[]): ReadonlySet<string> {
  const lines = facts.flatMap(fact => lineOf(fact).split('\n')).map(line => line.replace(/\r$/, ''))
  return new Set(lines.filter(line => line.trim() !== ''))
}

/**
 * Rewrites the newest version first, which is the document itself. Facts that are condemned from now on wait
 * for the next pass.
 */
function* begin(document: DocumentRow, slice: Slice): Steps<Pass> {
  const { id, version } = document
  yield* run('UPDATE facts SET gone = 3 WHERE document_id = ?1 AND gone > 1 AND gone = 2', id)
  // A line goes if any fact with that line is condemned. A line that was condensed from several facts tells
  // of all of them.
  const lines = new Set((yield* condemnedFacts(id)).map(lineOf))
  yield* runIn(
    'UPDATE facts SET gone = 3 WHERE document_id + 0 = ?1 AND gone < 3 AND line_key IN (*)',
    [id],
    [...lines].flatMap(lineKeys),
  )
  const gone = yield* condemnedFacts(id)
  const without = withoutLines(gone)
  const content = JSON.parse(document.content) as string
  const rewritten = yield* bringBack(id, content, gone)
  const offset = version - document.first_version + 1
  yield* run(
    'UPDATE facts SET version = version + ?2, superseded_by = superseded_by + ?2 WHERE document_id = ?1',
    id,
    offset,
  )
  yield* forgetContent(document)
  yield* run(
    `UPDATE documents SET version = ?2, first_version = ?3, content = ?4, tokens = ?5, updated_at = ?6
     WHERE id = ?1`,
    id,
    version + offset,
    version + offset + 1,
    JSON.stringify(rewritten),
    // About right: the old count, less the share that went. The next change measures it again.
    Math.ceil((document.tokens * rewritten.length) / Math.max(1, content.length)),
    slice.now,
  )
  yield* voidExtractions(document, slice)
  yield* tell(document, version + offset, slice)
  slice.count('documents', 1)
  slice.count('facts', gone.length)
  return { document, version, content, rewritten, offset, without }
}

/**
 * The text without the lines. What they had replaced stands there again, unless it is to be erased itself.
 * For a condensed line, these are the other lines. For a corrected line, it is the earlier one, unless the
 * same version also brought something that stays. Then it is unknown which of the two had replaced the
 * earlier line.
 */
function* bringBack(documentId: number, content: string, gone: readonly FactRow[]): Steps<string> {
  const rest = yield* all<FactRow>(
    `SELECT ${FACT_COLUMNS} FROM facts WHERE document_id = ?1 AND gone = 0 ORDER BY id`,
    documentId,
  )
  const stands = standsIn(content)
  // Hundreds of facts may have replaced hundreds. Each is read once, and those that lead nowhere are left
  // out.
  const replacing = gone.flatMap(fact => {
    const said = lineOf(fact)
    const line = stands(said) ? said : null
    return line !== null || wasReplaced(fact) ? [{ fact, line }] : []
  })
  const replacingIn = Map.groupBy(replacing, ({ fact }) => fact.version)
  const staying = new Set(rest.map(fact => fact.version))
  const standingLine = (fact: FactRow, version: number): string | null => {
    for (const { fact: later, line } of replacingIn.get(version) ?? []) {
      if (staying.has(version) && !isWithin(fact, later)) continue
      const standing = line ?? standingLine(fact, later.superseded_by!)
      if (standing !== null) return standing
    }
    return null
  }
  const back = new Map<string, string[]>()
  const standing: number[] = []
  for (const fact of rest) {
    const line = fact.superseded_by === null ? null : standingLine(fact, fact.superseded_by)
    if (line === null) continue
    const said = lineOf(fact)
    if (!stands(said)) back.set(line, [...(back.get(line) ?? []).filter(other => other !== said), said])
    standing.push(fact.id)
  }
  yield* runIn(
    'UPDATE facts SET superseded_at = NULL, superseded_by = NULL WHERE document_id = ?1 AND id IN (*)',
    [documentId],
    standing,
  )
  const lines = linesOf(gone)
  return replaceLines(content, line => (lines.has(line) ? (back.get(line) ?? []) : null))
}

/** The fact was itself replaced by a later version. */
function wasReplaced({ superseded_by, version }: FactRow): boolean {
  return superseded_by !== null && superseded_by > version
}

function isWithin(fact: FactRow, { session_id, from_seq, to_seq }: FactRow): boolean {
  return fact.session_id === session_id && from_seq <= fact.from_seq && fact.to_seq <= to_seq
}

/** An extraction sees what is already known, so its results may hold it. */
function* voidExtractions({ layer }: DocumentRow, { namespace }: Slice): Steps<void> {
  if (layer !== 'user' && layer !== 'scope') return
  yield* run(
    `UPDATE leases SET token = token + 1, owner = NULL, until = NULL
     WHERE namespace = ?1 AND owner IS NOT NULL AND name >= 'extraction/' AND name < 'extraction0'`,
    namespace,
  )
}

function* tell({ id, layer, name }: DocumentRow, version: number, { now }: Slice): Steps<void> {
  const row = yield* first<{ session_id: number | null }>(
    'SELECT session_id FROM documents WHERE id = ?1',
    id,
  )
  yield* recordEvent({
    sessionId: row?.session_id ?? 0,
    documentId: id,
    type: 'memory-changed',
    at: now,
    data: { layer, key: name, version, author: 'erasure' },
  })
}

function* rewriteVersions(pass: Pass, slice: Slice): Steps<void> {
  const { document, offset, without } = pass
  const rows = yield* all<VersionRow>(
    `SELECT version, at, author_kind, author_name, sources, undoes, back FROM document_versions
     WHERE document_id = ?1 AND version <= ?2 ORDER BY version DESC LIMIT ${VERSIONS_AT_A_TIME + 1}`,
    document.id,
    pass.version,
  )
  const isThere = new Map<string, boolean>()
  let { content, rewritten } = pass
  const marks: string[] = []
  let done = 0
  let characters = 0
  for (const row of rows) {
    if (done >= VERSIONS_AT_A_TIME || characters > CHARACTERS_AT_A_TIME) break
    const earlier = goBack(content, JSON.parse(row.back) as TextDelta)
    const earlierRewritten = without(earlier)
    characters += earlier.length
    marks.push(...(yield* deleteVersion(document.id, row.version)))
    yield* insertVersion(document.id, {
      version: row.version + offset,
      at: row.at,
      author: { kind: row.author_kind, name: row.author_name === null ? null : JSON.parse(row.author_name) },
      sources: yield* sourcesLeft(row, isThere, slice),
      undoes: row.undoes === null ? null : row.undoes + offset,
      back: deltaBack(earlierRewritten, rewritten),
      content: rewritten,
    })
    content = earlier
    rewritten = earlierRewritten
    done += 1
  }
  yield* forgetPacked(marks)
  slice.count('documentVersions', done)
  yield* run(
    'UPDATE documents SET first_version = ?2 WHERE id = ?1',
    document.id,
    pass.version + offset - done + 1,
  )
  if (done < rows.length) yield* leaveAnchor(document.id, pass.version - done + 1, content)
  else yield* finishRewriting(document.id)
}

/** The rest is packed again with the next changes. */
function* finishRewriting(documentId: number): Steps<void> {
  const gone = yield* all<{ mark: string }>(
    'DELETE FROM facts WHERE document_id = ?1 AND gone > 1 AND gone = 3 RETURNING line AS mark',
    documentId,
  )
  yield* forgetPacked(gone.map(({ mark }) => mark))
  yield* run('UPDATE documents SET packed_through = 0 WHERE id = ?1', documentId)
}

/** Returns the marks of the version. */
function* deleteVersion(documentId: number, version: number): Steps<readonly string[]> {
  const rows = yield* all<{ mark: string; other: string | null }>(
    'DELETE FROM document_versions WHERE document_id = ?1 AND version = ?2 RETURNING back AS mark, whole AS other',
    documentId,
    version,
  )
  return rows.flatMap(({ mark, other }) => [mark, other ?? ''])
}

function* leaveAnchor(documentId: number, version: number, content: string): Steps<void> {
  yield* insertVersion(documentId, {
    version,
    at: 0,
    author: { kind: 'rollback', name: null },
    sources: [],
    undoes: null,
    back: [0, 0, content],
    content,
  })
}

/** Sources in a session that is gone are dropped. */
function* sourcesLeft(
  { sources }: VersionRow,
  isThere: Map<string, boolean>,
  { namespace }: Slice,
): Steps<readonly Source[]> {
  const named = sources === null ? [] : (JSON.parse(sources) as readonly Source[])
  for (const { sessionId: id } of named)
    if (!isThere.has(id)) isThere.set(id, (yield* findSession({ namespace, id })) !== undefined)
  return named.filter(({ sessionId }) => isThere.get(sessionId))
}
