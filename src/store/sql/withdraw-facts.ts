import type { DocumentEdit, DocumentKey, DocumentRecord, DocumentWrite } from '../document.ts'
import { lockDocuments } from './document-locks.ts'
import { writeDocuments } from './documents.ts'
import type { Dialect } from './driver.ts'
import { lineKeys, OF_DOCUMENT, replaceLines } from './facts.ts'
import { readHead } from './head.ts'
import { allIn } from './many.ts'
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

/** What was learned from messages above a `seq`; `which`: of that the part that a query asks for besides. */
interface Learned {
  readonly above: number
  readonly which: string
}

/**
 * What was learned from messages that a rollback hides is taken out of the documents; the versions keep it.
 * A line that something else says too stays. It is called while the messages are still visible.
 */
export function* withdrawFacts(
  session: SessionRow,
  { above, learnedBy, now }: { above: number; learnedBy?: 'fold'; now: number },
  dialect: Dialect,
): Steps<void> {
  const which = learnedBy === undefined ? '' : `AND source = '${learnedBy}'`
  yield* lockLearned(session, { above, which }, dialect)
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
  // The versions keep their lines: with these an erasure finds them there.
  yield* run(
    `UPDATE facts SET gone = 1 WHERE session_id = ?1 AND to_seq > ?2 AND gone = 0 ${which}`,
    session.id,
    above,
  )
}

/**
 * What the withdrawn facts had replaced, corrected or condensed, holds again: its lines, by the line that stands
 * in their place.
 */
function* bringBack(
  session: SessionRow,
  { above, which }: Learned,
  gone: readonly GoneFact[],
): Steps<ReadonlyMap<string, readonly string[]>> {
  const back = new Map<string, readonly string[]>()
  for (const { document_id, line, version } of gone) {
    const ids = yield* all<{ id: number }>(
      'SELECT id FROM facts WHERE document_id = ?1 AND superseded_by = ?2',
      document_id,
      version,
    )
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
  facts: readonly GoneFact[],
  back: ReadonlyMap<string, readonly string[]>,
): DocumentEdit | null {
  if (current === null) return null
  const gone = new Set(facts.map(({ line }) => parseLine(line)))
  const content = replaceLines(current.content, line => (gone.has(line) ? (back.get(line) ?? []) : null))
  // About what it was, less the share that went: it is measured anew with the next change.
  const share = content.length / Math.max(1, current.content.length)
  return { content, tokens: Math.ceil(current.tokens * share) }
}

function documentKey({ namespace }: SessionRow, { layer, name }: Place): DocumentKey {
  return { namespace, layer, key: name }
}

/**
 * All documents that hold such facts, before it is asked which lines nothing else says: until then others may
 * write them, and roll back what they said there. While one lock is waited for, one more may come to need it.
 */
function* lockLearned(session: SessionRow, { above, which }: Learned, dialect: Dialect): Steps<void> {
  const locked = new Set<number>()
  for (;;) {
    const places = yield* all<Place>(
      `SELECT DISTINCT d.id AS document_id, d.layer, d.name
       FROM facts f JOIN documents d ON d.id = f.document_id
       WHERE f.session_id = ?1 AND f.to_seq > ?2 AND f.gone = 0 ${which}`,
      session.id,
      above,
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

/** By document. What no longer held does not keep a line that was said again. */
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

/** What was condensed before what came with it: the lines that it stood for come back in its place. */
function byOrigin<Each extends LearnedFact>(facts: readonly Each[]): readonly Each[] {
  return facts.toSorted(
    (one, other) => one.to_seq - other.to_seq || one.from_seq - other.from_seq || one.id - other.id,
  )
}

function inOrder<Each extends { readonly id: number }>(facts: readonly Each[]): readonly Each[] {
  return facts.toSorted((one, other) => one.id - other.id)
}
