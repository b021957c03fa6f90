import type { DocumentEdit, DocumentKey, DocumentRecord, DocumentWrite } from '../document.ts'
import type { ExtractionCommit } from '../store.ts'
import { lockDocuments } from './document-locks.ts'
import { writeDocuments } from './documents.ts'
import type { Dialect } from './driver.ts'
import { lineKeys, OF_DOCUMENT, REPLACED_BY, replaceLines } from './facts.ts'
import { readHead } from './head.ts'
import { allIn, runIn } from './many.ts'
import type { SessionRow } from './rows.ts'
import { all, run, type Steps } from './steps.ts'

interface Place {
  readonly document_id: number
  readonly layer: DocumentKey['layer']
  readonly name: string
}

interface GoneFact extends Place {
  readonly line: string
  readonly version: number
}

/** Facts learned from messages above a `seq`. `which` is an extra SQL condition. */
interface Learned {
  readonly above: number
  readonly which: string
}

/**
 * Removes from the documents what was learned from messages that a rollback hides. The versions keep it. A
 * line that another source says too stays. Call this while the messages are still visible.
 */
export function* withdrawFacts(
  session: SessionRow,
  { above, learnedBy, now }: { above: number; learnedBy?: 'fold'; now: number },
  dialect: Dialect,
): Steps<void> {
  const which = learnedBy === undefined ? '' : `AND source = '${learnedBy}'`
  yield* lockLearned(session, { condition: `f.to_seq > ?2 ${which}`, parameters: [above] }, dialect)
  const last = (yield* readHead(session))?.seq ?? above
  const documents = [...(yield* readGone(session, { above, which })).values()]
  const writes: DocumentWrite[] = []
  for (const facts of documents) {
    const back = yield* bringBack(session, { above, which }, facts)
    writes.push({
      key: documentKey(session, facts[0]!),
      change: current => withoutFacts(current, facts, back),
      author: { kind: 'rollback', name: null },
      sources: [{ sessionId: session.name, fromSeq: above + 1, toSeq: last }],
      now,
    })
  }
  yield* writeDocuments(writes)
  // The versions keep their lines, and an erasure finds them there with these facts.
  yield* run(
    `UPDATE facts SET gone = 1 WHERE session_id = ?1 AND to_seq > ?2 AND gone = 0 ${which}`,
    session.id,
    above,
  )
}

/**
 * Withdraws what was learned from an edited message: from the message itself, or by a fold from what was said
 * at its instant. The lines leave the documents at once. So does a line into which they were condensed. Their
 * replacement is learned when the message is read again.
 */
export function* withdrawEdited(
  session: SessionRow,
  { seq, at, now }: { seq: number; at: number; now: number },
  dialect: Dialect,
): Steps<void> {
  const which: Which = {
    // An extraction names the messages that say something together. A fold names all messages that it saw.
    condition: `f.from_seq <= ?2 AND f.to_seq >= ?2
      AND (f.from_seq = f.to_seq OR f.said_at = ?3 OR f.source = 'extraction')`,
    parameters: [seq, at],
  }
  yield* lockLearned(session, which, dialect)
  const learned = yield* readLearned(session, which)
  const author = { kind: 'rollback', name: 'edit' } as const
  const sources = [{ sessionId: session.name, fromSeq: seq, toSeq: seq }]
  yield* withdrawAll(session, learned, { author, sources, now })
}

/**
 * Withdraws what extractions learned from messages that their speaker takes back. The caller has locked the
 * documents.
 */
export function* withdrawTakenBack(
  session: SessionRow,
  { documents, takenBack = [], now }: Pick<ExtractionCommit, 'documents' | 'takenBack' | 'now'>,
): Steps<void> {
  for (const seq of takenBack) {
    const learned = yield* readLearned(session, {
      condition: "f.from_seq <= ?2 AND f.to_seq >= ?2 AND f.source = 'extraction'",
      parameters: [seq],
    })
    for (const { key, author, sources } of documents) {
      const isOf = ({ layer, name }: Place) => key.layer === layer && key.key === name
      yield* withdrawAll(session, learned.filter(isOf), { author, sources, now })
    }
  }
}

function* readLearned(session: SessionRow, which: Which): Steps<readonly EditedFact[]> {
  return yield* all<EditedFact>(
    `SELECT f.document_id, f.id, f.from_seq, f.to_seq, d.layer, d.name, f.line, f.line_key, f.version
     FROM facts f JOIN documents d ON d.id = f.document_id
     WHERE f.session_id = ?1 AND ${which.condition} AND f.gone = 0`,
    session.id,
    ...which.parameters,
  )
}

function* withdrawAll(
  session: SessionRow,
  learned: readonly EditedFact[],
  by: Pick<DocumentWrite, 'author' | 'sources' | 'now'>,
): Steps<void> {
  const writes: DocumentWrite[] = []
  for (const [documentId, facts] of Map.groupBy(learned, fact => fact.document_id)) {
    const { gone, back } = yield* withdrawLines(documentId, facts)
    const change = (current: DocumentRecord | null) => withoutFacts(current, gone, back)
    writes.push({ key: documentKey(session, facts[0]!), change, ...by })
  }
  yield* writeDocuments(writes)
}

interface EditedFact extends GoneFact, LearnedFact {
  readonly line_key: string
}

/** Marks facts as gone: the given ones, and those that were condensed into one line with them. */
function* withdrawLines(
  documentId: number,
  facts: readonly EditedFact[],
): Steps<{
  readonly gone: readonly Pick<GoneFact, 'line'>[]
  readonly back: ReadonlyMap<string, readonly string[]>
}> {
  const versions = new Set(facts.map(({ version, line_key }) => JSON.stringify([version, line_key])))
  const alike = yield* allIn<{ id: number; line: string; line_key: string; version: number; held: number }>(
    `SELECT f.id, f.line, f.line_key, f.version, CASE WHEN f.superseded_at IS NULL THEN 1 ELSE 0 END AS held
     FROM facts f WHERE ${OF_DOCUMENT} AND f.gone = 0 AND f.line_key IN (*)`,
    [documentId],
    [...new Set(facts.map(({ line_key }) => line_key))],
  )
  const isGone = ({ version, line_key }: { version: number; line_key: string }) =>
    versions.has(JSON.stringify([version, line_key]))
  const withdrawn = alike.filter(isGone)
  yield* runIn(
    'UPDATE facts SET gone = 1 WHERE document_id = ?1 AND id IN (*)',
    [documentId],
    withdrawn.map(({ id }) => id),
  )
  // Another message says the same, so its line stays.
  const stays = new Set(
    alike.filter(fact => fact.held === 1 && !isGone(fact)).map(({ line_key }) => line_key),
  )
  const gone = withdrawn.filter(({ line_key }) => !stays.has(line_key))
  const back = new Map<string, readonly string[]>()
  for (const { line, version, held } of gone) {
    if (held === 0 || back.has(parseLine(line))) continue
    const lines = yield* bringBackReplaced(documentId, version)
    if (lines.length > 0) back.set(parseLine(line), [...new Set(lines)])
  }
  return { gone, back }
}

interface ReplacedFact {
  readonly id: number
  readonly line: string
  readonly version: number
  readonly gone: number
}

/**
 * What a change of the document had replaced holds again, unless something else of that change still holds.
 * If a replaced line is gone itself, as one condensed line is replaced by another, the lines that it stood
 * for come back.
 */
function* bringBackReplaced(documentId: number, version: number): Steps<readonly string[]> {
  const others = yield* all<{ id: number }>(
    'SELECT id FROM facts WHERE document_id = ?1 AND version = ?2 AND gone = 0 LIMIT 1',
    documentId,
    version,
  )
  if (others.length > 0) return []
  const replaced = yield* all<ReplacedFact>(
    `SELECT id, line, version, gone FROM facts WHERE ${REPLACED_BY} ORDER BY id`,
    documentId,
    version,
  )
  yield* runIn(
    `UPDATE facts SET superseded_at = NULL, superseded_by = NULL WHERE document_id = ?1 AND id IN (*)`,
    [documentId],
    replaced.filter(({ gone }) => gone === 0).map(({ id }) => id),
  )
  const lines: string[] = []
  const seen = new Set<number>()
  for (const { line, version: earlier, gone } of replaced) {
    if (gone === 0) lines.push(parseLine(line))
    else if (!seen.has(earlier)) lines.push(...(yield* bringBackReplaced(documentId, earlier)))
    seen.add(earlier)
  }
  return lines
}

/**
 * The lines that the withdrawn facts had replaced, corrected or condensed hold again. The key is the line
 * that stands in their place.
 */
function* bringBack(
  session: SessionRow,
  { above, which }: Learned,
  gone: readonly GoneFact[],
): Steps<ReadonlyMap<string, readonly string[]>> {
  const back = new Map<string, readonly string[]>()
  for (const { document_id, line, version } of gone) {
    const ids = yield* all<{ id: number }>(`SELECT id FROM facts WHERE ${REPLACED_BY}`, document_id, version)
    const replaced = yield* allIn<{ id: number; line: string }>(
      `UPDATE facts SET superseded_at = NULL, superseded_by = NULL
       WHERE document_id = ?1 AND gone = 0 AND NOT (session_id = ?2 AND to_seq > ?3 ${which}) AND id IN (*)
       RETURNING id, line`,
      [document_id, session.id, above],
      ids.map(({ id }) => id),
    )
    if (replaced.length > 0)
      back.set(parseLine(line), [...new Set(inOrder(replaced).map(fact => parseLine(fact.line)))])
  }
  return back
}

function parseLine(line: string): string {
  return JSON.parse(line) as string
}

function withoutFacts(
  current: DocumentRecord | null,
  facts: readonly Pick<GoneFact, 'line'>[],
  back: ReadonlyMap<string, readonly string[]>,
): DocumentEdit | null {
  if (current === null) return null
  const gone = new Set(facts.map(({ line }) => parseLine(line)))
  const content = replaceLines(current.content, line => (gone.has(line) ? (back.get(line) ?? []) : null))
  // About right: the old count, less the share that went. The next change measures it again.
  const share = content.length / Math.max(1, current.content.length)
  return { content, tokens: Math.ceil(current.tokens * share) }
}

function documentKey({ namespace }: SessionRow, { layer, name }: Place): DocumentKey {
  return { namespace, layer, key: name }
}

/**
 * Locks all documents that hold such facts, before it is asked which lines have no other source. Without the
 * locks, other writers could change those documents or roll back what they said there. While one lock is
 * waited for, one more document may need one.
 */
function* lockLearned(session: SessionRow, which: Which, dialect: Dialect): Steps<void> {
  const locked = new Set<number>()
  for (;;) {
    const places = yield* all<Place>(
      `SELECT DISTINCT d.id AS document_id, d.layer, d.name
       FROM facts f JOIN documents d ON d.id = f.document_id
       WHERE f.session_id = ?1 AND ${which.condition} AND f.gone = 0`,
      session.id,
      ...which.parameters,
    )
    const more = places.filter(({ document_id }) => !locked.has(document_id))
    if (more.length === 0) return
    yield* lockDocuments(
      more.map(place => documentKey(session, place)),
      dialect,
    )
    for (const { document_id } of more) locked.add(document_id)
  }
}

/** Facts of a session, by a condition on `f`. */
interface Which {
  readonly condition: string
  readonly parameters: readonly number[]
}

/** Grouped by document. A fact that no longer held does not keep a line that was said again. */
function* readGone(
  session: SessionRow,
  { above, which }: Learned,
): Steps<ReadonlyMap<number, readonly GoneFact[]>> {
  const learned = yield* all<GoneFact & LearnedFact>(
    `SELECT f.document_id, f.id, f.from_seq, f.to_seq, d.layer, d.name, f.line, f.version
     FROM facts f JOIN documents d ON d.id = f.document_id
     WHERE f.session_id = ?1 AND f.to_seq > ?2 AND f.gone = 0 ${which}`,
    session.id,
    above,
  )
  const gone = new Map<number, readonly GoneFact[]>()
  for (const [documentId, facts] of Map.groupBy(byOrigin(learned), fact => fact.document_id)) {
    const told = yield* allIn<{ line_key: string }>(
      `SELECT f.line_key FROM facts f WHERE ${OF_DOCUMENT} AND f.superseded_at IS NULL AND f.gone = 0
         AND NOT (f.session_id = ?2 AND f.to_seq > ?3 ${which}) AND f.line_key IN (*)`,
      [documentId, session.id, above],
      [...new Set(facts.flatMap(({ line }) => lineKeys(parseLine(line))))],
    )
    const stays = new Set(told.map(({ line_key }) => line_key))
    const left = facts.filter(({ line }) => !lineKeys(parseLine(line)).some(key => stays.has(key)))
    if (left.length > 0) gone.set(documentId, left)
  }
  return gone
}

interface LearnedFact {
  readonly id: number
  readonly from_seq: number
  readonly to_seq: number
}

/**
 * Condensed facts come before the facts that came with them, so the lines that they stood for come back in
 * their place.
 */
function byOrigin<Each extends LearnedFact>(facts: readonly Each[]): readonly Each[] {
  return facts.toSorted(
    (one, other) => one.to_seq - other.to_seq || one.from_seq - other.from_seq || one.id - other.id,
  )
}

function inOrder<Each extends { readonly id: number }>(facts: readonly Each[]): readonly Each[] {
  return facts.toSorted((one, other) => one.id - other.id)
}
