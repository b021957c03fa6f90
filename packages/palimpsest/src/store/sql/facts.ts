import { SessionNotFoundError } from '../../errors.ts'
import type { Fact, NewFact } from '../document.ts'
import type { DocumentRow } from './documents.ts'
import { insertRows } from './insert-rows.ts'
import { keyOf } from './keys.ts'
import { allIn, runIn } from './many.ts'
import { isCompact } from './packs.ts'
import { findSession } from './session.ts'
import { all, first, type Steps } from './steps.ts'

interface FactRow {
  readonly id: number
  readonly line: string
  readonly subject: string | null
  readonly session_name: string | null
  readonly from_seq: number
  readonly to_seq: number
  readonly said_at: number
  readonly on_day: string | null
  readonly source: Fact['from']
  readonly version: number
  readonly superseded_at: number | null
  readonly gone: number
}

/** A fact that a rollback took out is still known, since earlier versions of the document hold its line. */
export interface StoredFact extends Fact {
  readonly withdrawn?: true
}

function toFact(row: FactRow): StoredFact {
  return {
    line: JSON.parse(row.line) as string,
    subject: row.subject,
    origin: { sessionId: row.session_name ?? '', fromSeq: row.from_seq, toSeq: row.to_seq },
    saidAt: new Date(row.said_at),
    on: row.on_day,
    from: row.source,
    version: row.version,
    supersededAt: row.superseded_at === null ? null : new Date(row.superseded_at),
    ...(row.gone === 1 && { withdrawn: true as const }),
  }
}

const SELECT = `SELECT f.id, f.line, f.subject, s.name AS session_name, f.from_seq, f.to_seq, f.said_at, f.on_day,
    f.source, f.version, f.superseded_at, f.gone
  FROM facts f LEFT JOIN sessions s ON s.id = f.session_id`

/** All facts that there ever were. There are as many as a chat is old, so few callers ask for all. */
export function* readFacts(
  documentId: number,
  which: 'standing' | 'withdrawn too' = 'standing',
): Steps<readonly StoredFact[]> {
  const rows = yield* all<FactRow>(
    `${SELECT} WHERE f.document_id = ?1 AND f.gone <= ?2 ORDER BY f.id`,
    documentId,
    which === 'standing' ? 0 : 1,
  )
  return rows.map(toFact)
}

/**
 * For queries by line. Written like this, both databases have to use the index of lines, however many facts
 * they assume a document to have.
 */
export const OF_DOCUMENT = 'f.document_id + 0 = ?1'

/**
 * The same for facts that a version replaced. SQLite needs the first condition to see that the index holds
 * all of them.
 */
export const REPLACED_BY = 'document_id = ?1 AND superseded_by > 0 AND superseded_by = ?2'

/**
 * Facts whose lines stand in a text of the document. The cost does not depend on how many other facts there
 * were.
 */
export function* readFactsIn(documentId: number, content: string): Steps<readonly StoredFact[]> {
  const rows = yield* allIn<FactRow>(
    `${SELECT} WHERE ${OF_DOCUMENT} AND f.gone = 0 AND f.line_key IN (*)`,
    [documentId],
    lineKeysIn(content),
  )
  return rows.toSorted((one, other) => one.id - other.id).map(toFact)
}

/**
 * The keys of all lines of a text, as facts may have them. Text and facts may end their lines in different
 * ways.
 */
export function lineKeysIn(content: string): readonly string[] {
  const lines = new Set(content.split('\n').map(withoutReturn))
  return [...lines].flatMap(line => [shortKey(line), longKey(line), longKey(`${line}\r`)])
}

/** All keys that a fact of this line may have. Equal lines are found by them. */
export function lineKeys(line: string): readonly string[] {
  return [shortKey(line), longKey(line)]
}

/** Makes the key of a new fact. Programs of an earlier version know only long keys. */
export function* lineKeyMaker(): Steps<(line: string) => string> {
  return (yield* isCompact()) ? shortKey : longKey
}

/**
 * Never longer than an index allows, and never with a character that a database cannot hold. It begins with a
 * quotation mark.
 */
function longKey(line: string): string {
  return keyOf(JSON.stringify(line))
}

/**
 * 96 bits of a digest. The line's ending does not matter. The line is hashed as JSON, because UTF-8 loses
 * half a surrogate pair.
 */
export function shortKey(line: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify(withoutReturn(line)))
    .digest('base64url')
    .slice(0, 16)
}

/** A fact stands on a line of its own. The line endings of the document do not matter. */
export function standsIn(content: string): (line: string) => boolean {
  const lines = new Set(content.split('\n').map(withoutReturn))
  return line => lines.has(withoutReturn(line))
}

/** Replaces some lines of the text by others. `null`: the line stays. */
export function replaceLines(content: string, by: (line: string) => readonly string[] | null): string {
  return content
    .split('\n')
    .flatMap(line => by(withoutReturn(line)) ?? [line])
    .join('\n')
}

/** The text without the lines of these facts. */
export function withoutLines(content: string, gone: readonly string[]): string {
  const lines = new Set(gone.map(withoutReturn))
  return replaceLines(content, line => (lines.has(line) ? [] : null))
}

/** Lines that an erasure has condemned and not removed yet. Nothing new may be made of them. */
export function* condemnedLines(documentId: number): Steps<readonly string[]> {
  const condemned = yield* all<{ line: string }>(
    'SELECT line FROM facts WHERE document_id = ?1 AND gone > 1',
    documentId,
  )
  if (condemned.length === 0) return []
  const lines = [...new Set(condemned.map(({ line }) => JSON.parse(line) as string))]
  const told = yield* allIn<{ line_key: string }>(
    `SELECT f.line_key FROM facts f WHERE ${OF_DOCUMENT} AND f.gone = 0 AND f.line_key IN (*)`,
    [documentId],
    lines.flatMap(lineKeys),
  )
  const stays = new Set(told.map(({ line_key }) => line_key))
  return lines.filter(line => !lineKeys(line).some(key => stays.has(key)))
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

export function* recordFacts(
  document: DocumentRow,
  change: {
    readonly namespace: string
    readonly facts: readonly NewFact[]
    readonly superseded: readonly string[]
    readonly now: number
  },
): Steps<void> {
  yield* runIn(
    `UPDATE facts SET superseded_at = ?2, superseded_by = ?3
     WHERE document_id + 0 = ?1 AND line_key IN (*) AND superseded_at IS NULL AND gone = 0`,
    [document.id, change.now, document.version],
    [...new Set(change.superseded.flatMap(lineKeys))],
  )
  if (change.facts.length === 0) return
  const newest = yield* first<{ id: number | null }>(
    'SELECT max(id) AS id FROM facts WHERE document_id = ?1',
    document.id,
  )
  const sessions = new Map<string, number>()
  for (const { origin } of change.facts)
    if (!sessions.has(origin.sessionId)) sessions.set(origin.sessionId, yield* idOf(change.namespace, origin))
  const rows = change.facts.map((fact, place) => ({
    id: (newest?.id ?? 0) + 1 + place,
    line: fact.line,
    subject: fact.subject,
    sessionId: sessions.get(fact.origin.sessionId)!,
    fromSeq: fact.origin.fromSeq,
    toSeq: fact.origin.toSeq,
    saidAt: fact.saidAt.getTime(),
    on: fact.on,
    from: fact.from,
    version: document.version,
    supersededAt: null,
    isWithdrawn: false,
  }))
  yield* insertFacts(document.id, rows)
}

interface InsertedFact extends Pick<Fact, 'line' | 'subject' | 'on' | 'from' | 'version'> {
  readonly id: number
  readonly sessionId: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly saidAt: number
  readonly supersededAt: number | null
  readonly isWithdrawn: boolean
}

const COLUMNS = [
  'document_id',
  'id',
  'line',
  'line_key',
  'subject',
  'session_id',
  'from_seq',
  'to_seq',
  'said_at',
  'on_day',
  'source',
  'version',
  'superseded_at',
  'gone',
]

export function* insertFacts(documentId: number, facts: readonly InsertedFact[]): Steps<void> {
  const lineKey = yield* lineKeyMaker()
  const rows = facts.map(fact => [
    documentId,
    fact.id,
    JSON.stringify(fact.line),
    lineKey(fact.line),
    fact.subject,
    fact.sessionId,
    fact.fromSeq,
    fact.toSeq,
    fact.saidAt,
    fact.on,
    fact.from,
    fact.version,
    fact.supersededAt,
    fact.isWithdrawn ? 1 : 0,
  ])
  yield* insertRows('facts', COLUMNS, rows)
}

function* idOf(namespace: string, { sessionId }: NewFact['origin']): Steps<number> {
  const session = yield* findSession({ namespace, id: sessionId })
  if (!session) throw new SessionNotFoundError(sessionId)
  return session.id
}
