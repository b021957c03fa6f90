import type { LayerName } from '../document.ts'
import { tryToLockDocument } from './document-locks.ts'
import type { DocumentRow } from './documents.ts'
import type { Dialect } from './driver.ts'
import { insertRows } from './insert-rows.ts'
import { allIn } from './many.ts'
import { forgetPacked, isCompact, isMark, isWorthPacking, packTexts, type Texts } from './packs.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * How many of a document's newest versions stay unpacked, and how many are packed at a time. Tests pack all
 * versions.
 */
export const PACKING = { keptVersions: 4, versionsAtATime: 8 }

/**
 * Packs the past of a document once there is enough of it: versions, and the lines that they removed. A past
 * that was never packed is packed in parts, one with each next change. A day is packed whole, once it is
 * over.
 */
export function* packPast(document: DocumentRow): Steps<void> {
  const { keptVersions, versionsAtATime } = PACKING
  const after = packedThrough(document)
  const isDue = document.layer !== 'daily' && document.version - after >= keptVersions + versionsAtATime
  if (!isDue || !(yield* isCompact())) return
  const through = Math.min(document.version - keptVersions, after + 2 * versionsAtATime)
  yield* packRange(document.id, { after, through })
}

/**
 * Packs the next part of a past that was never packed. `false`: there is no more. The caller holds the
 * document's lock.
 */
export function* packMore(document: DocumentRow): Steps<boolean> {
  const after = packedThrough(document)
  const through = Math.min(document.version - PACKING.keptVersions, after + VERSIONS_OF_A_PART)
  if (through <= after || document.layer === 'daily') return false
  yield* packRange(document.id, { after, through })
  return true
}

const VERSIONS_OF_A_PART = 64

/** Versions count from the first one, because an erasure may have renumbered them. */
function packedThrough({ packed_through, first_version }: DocumentRow): number {
  return Math.max(packed_through, first_version - 1)
}

interface VersionRange {
  readonly after: number
  readonly through: number
}

function* packRange(documentId: number, { after, through }: VersionRange): Steps<void> {
  yield* packVersions(documentId, { after, through })
  // First the ids by the index alone, then the rows by their ids: see decision 39.
  const ids = yield* all<{ id: number }>(
    'SELECT id FROM facts WHERE document_id = ?1 AND superseded_by > ?2 AND superseded_by <= ?3',
    documentId,
    after,
    through,
  )
  const facts = yield* allIn<FactLine>(
    'SELECT id, line AS raw FROM facts WHERE document_id = ?1 AND gone < 2 AND id IN (*)',
    [documentId],
    ids.map(({ id }) => id),
  )
  yield* packLines(documentId, facts)
  yield* run('UPDATE documents SET packed_through = ?2 WHERE id = ?1', documentId, through)
}

interface PastVersion {
  readonly version: number
  readonly a: string
  readonly b: string | null
}

function* packVersions(documentId: number, { after, through }: VersionRange): Steps<void> {
  const versions = yield* all<PastVersion>(
    // Under other names, marks are read as they are and not replaced by the texts.
    `SELECT version, back AS a, whole AS b FROM document_versions
     WHERE document_id = ?1 AND version > ?2 AND version <= ?3 ORDER BY version`,
    documentId,
    after,
    through,
  )
  yield* packRows(documentId, versions, textsOf, (row, texts, mark) =>
    all(
      'UPDATE document_versions SET back = ?3, whole = ?4 WHERE document_id = ?1 AND version = ?2 RETURNING version',
      documentId,
      row.version,
      texts.back === undefined ? row.a : mark,
      texts.whole === undefined ? row.b : mark,
    ),
  )
}

function textsOf({ a, b }: PastVersion): Texts {
  return {
    ...(isWorthPacking(a) && { back: a }),
    ...(b !== null && isWorthPacking(b) && { whole: b }),
  }
}

interface FactLine {
  readonly id: number
  readonly raw: string
}

function* packLines(documentId: number, facts: readonly FactLine[]): Steps<void> {
  yield* packRows(documentId, facts, lineOf, ({ id, raw }, _, mark) =>
    all(
      'UPDATE facts SET line = ?3 WHERE document_id = ?1 AND id = ?2 AND line = ?4 RETURNING id',
      documentId,
      id,
      mark,
      raw,
    ),
  )
}

function lineOf({ raw }: FactLine): Texts {
  return isWorthPacking(raw) ? { line: raw } : {}
}

/** `setMark` returns the row that has the mark, if there is one. */
function* packRows<Each>(
  documentId: number,
  rows: readonly Each[],
  textsOfRow: (row: Each) => Texts,
  setMark: (row: Each, texts: Texts, mark: string) => Steps<readonly unknown[]>,
): Steps<void> {
  const worth = rows
    .map(row => ({ row, texts: textsOfRow(row) }))
    .filter(({ texts }) => Object.keys(texts).length > 0)
  const marks = yield* packTexts(
    { document: documentId },
    worth.map(({ texts }) => texts),
  )
  const unused: string[] = []
  for (const [place, { row, texts }] of worth.entries()) {
    const mark = marks[place]!
    // On PostgreSQL an erasure that holds only the session's lock may have deleted the row since the read.
    if ((yield* setMark(row, texts, mark)).length === 0) unused.push(mark)
  }
  yield* forgetPacked(unused)
}

/** This many of a chat's newest days are still written, or are read with every context. */
const OPEN_DAYS = 2
const DAYS_AT_A_TIME = 4

interface Day {
  readonly id: number
  readonly namespace: string
  readonly layer: LayerName
  readonly name: string
}

/**
 * Packs days that are over, with all their versions and facts. `false`: there is none. The caller holds the
 * session's lock.
 */
export function* packDays(sessionId: number, dialect: Dialect): Steps<boolean> {
  const days = yield* all<Day>(
    `SELECT id, namespace, layer, name FROM documents
     WHERE session_id = ?1 AND day IS NOT NULL AND packed_through = 0
     ORDER BY day DESC LIMIT ${OPEN_DAYS + DAYS_AT_A_TIME}`,
    sessionId,
  )
  if (days.length <= OPEN_DAYS || !(yield* isCompact())) return false
  let packed = 0
  for (const day of days.slice(OPEN_DAYS)) {
    // If an erasure is working on this day, it is packed another time.
    const key = { namespace: day.namespace, layer: day.layer, key: day.name }
    if (!(yield* tryToLockDocument(key, dialect))) continue
    yield* packDay(day.id)
    if (dialect.keepsRoomOfRows) yield* moveUp(day.id)
    packed += 1
  }
  return packed > 0
}

function* packDay(id: number): Steps<void> {
  // Read again, now that the day is locked.
  const day = yield* first<{ version: number; first_version: number; raw: string }>(
    'SELECT version, first_version, content AS raw FROM documents WHERE id = ?1 AND packed_through = 0',
    id,
  )
  if (!day) return
  yield* packVersions(id, { after: day.first_version - 1, through: day.version })
  const facts = yield* all<FactLine>(
    'SELECT id, line AS raw FROM facts WHERE document_id = ?1 AND gone < 2 ORDER BY id',
    id,
  )
  yield* packLines(id, facts)
  const [mark] = isWorthPacking(day.raw)
    ? yield* packTexts({ document: id }, [{ content: day.raw }])
    : [day.raw]
  yield* run('UPDATE documents SET packed_through = ?2, content = ?3 WHERE id = ?1', id, day.version, mark!)
}

const MOVED = `id, namespace, layer, name_key, name, session_id, day, version, tokens, created_at, updated_at,
  mirrored_version, mirrored_hash, content, first_version, packed_through`

/**
 * SQLite leaves a shortened row in its place, with the free room around it. Deleted and inserted again, the
 * row stands among short ones.
 */
function* moveUp(id: number): Steps<void> {
  const columns = MOVED.split(/,\s*/).map((column, place) => ({ column, name: `c${place}` }))
  const [row] = yield* all(
    `DELETE FROM documents WHERE id = ?1 RETURNING ${columns.map(({ column, name }) => `${column} AS ${name}`).join(', ')}`,
    id,
  )
  yield* insertRows(
    'documents',
    columns.map(({ column }) => column),
    [columns.map(({ name }) => row![name] ?? null)],
  )
}

/** Called before another text takes the place of this one. A day that is written again is packed again. */
export function* forgetContent(document: Pick<DocumentRow, 'id' | 'layer'>): Steps<void> {
  // Only days have a packed content.
  if (document.layer !== 'daily') return
  const rows = yield* all<{ mark: string }>(
    'SELECT content AS mark FROM documents WHERE id = ?1',
    document.id,
  )
  const marks = rows.map(({ mark }) => mark).filter(isMark)
  if (marks.length === 0) return
  yield* forgetPacked(marks)
  yield* run('UPDATE documents SET packed_through = 0 WHERE id = ?1', document.id)
}
