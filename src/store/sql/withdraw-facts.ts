import type { DocumentEdit, DocumentKey, DocumentRecord } from '../document.ts'
import { lockDocuments, writeDocuments } from './documents.ts'
import type { Dialect } from './driver.ts'
import { withoutLines } from './facts.ts'
import { readHead } from './head.ts'
import type { SessionRow } from './rows.ts'
import { all, run, type Steps } from './steps.ts'

interface Place {
  readonly document_id: number
  readonly layer: DocumentKey['layer']
  readonly name: string
}

interface GoneFact extends Place {
  readonly line: string
}

/**
 * What was learned from messages that a rollback hides is taken out of the documents; the versions keep it.
 * A line that something else says too stays. It is called while the messages are still visible.
 */
export function* withdrawFacts(
  session: SessionRow,
  { above, now }: { above: number; now: number },
  dialect: Dialect,
): Steps<void> {
  yield* lockLearned(session, above, dialect)
  const last = (yield* readHead(session))?.seq ?? above
  const documents = [...(yield* readGone(session, above)).values()]
  yield* writeDocuments(
    documents.map(facts => ({
      key: keyOf(session, facts[0]!),
      change: current => withoutFacts(current, facts),
      author: { kind: 'rollback', name: null },
      sources: [{ sessionId: session.name, fromSeq: above + 1, toSeq: last }],
      now,
    })),
  )
  yield* run('DELETE FROM facts WHERE session_id = ?1 AND to_seq > ?2', session.id, above)
}

function withoutFacts(current: DocumentRecord | null, facts: readonly GoneFact[]): DocumentEdit | null {
  if (current === null) return null
  const content = withoutLines(
    current.content,
    facts.map(({ line }) => JSON.parse(line) as string),
  )
  // About what it was, less the share that went: it is measured anew with the next change.
  const share = content.length / Math.max(1, current.content.length)
  return { content, tokens: Math.ceil(current.tokens * share) }
}

function keyOf({ namespace }: SessionRow, { layer, name }: Place): DocumentKey {
  return { namespace, layer, key: name }
}

/**
 * All documents that hold such facts, before it is asked which lines nothing else says: until then others may
 * write them, and roll back what they said there. While one lock is waited for, one more may come to need it.
 */
function* lockLearned(session: SessionRow, above: number, dialect: Dialect): Steps<void> {
  const locked = new Set<number>()
  for (;;) {
    const places = yield* all<Place>(
      `SELECT DISTINCT d.id AS document_id, d.layer, d.name
       FROM facts f JOIN documents d ON d.id = f.document_id WHERE f.session_id = ?1 AND f.to_seq > ?2`,
      session.id,
      above,
    )
    const more = places.filter(({ document_id }) => !locked.has(document_id))
    if (more.length === 0) return
    yield* lockDocuments(
      more.map(place => keyOf(session, place)),
      dialect,
    )
    for (const { document_id } of more) locked.add(document_id)
  }
}

/** By document. What no longer held does not keep a line that was said again. */
function* readGone(session: SessionRow, above: number): Steps<ReadonlyMap<number, readonly GoneFact[]>> {
  const facts = yield* all<GoneFact>(
    `SELECT f.document_id, d.layer, d.name, f.line FROM facts f JOIN documents d ON d.id = f.document_id
     WHERE f.session_id = ?1 AND f.to_seq > ?2 AND NOT EXISTS (
       SELECT 1 FROM facts o WHERE o.document_id = f.document_id AND o.line = f.line AND o.superseded_at IS NULL
         AND NOT (o.session_id = ?1 AND o.to_seq > ?2))`,
    session.id,
    above,
  )
  return Map.groupBy(facts, fact => fact.document_id)
}
