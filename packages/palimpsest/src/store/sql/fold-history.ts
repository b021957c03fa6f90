import { EVENT_TYPES, type FoldEvent } from '../store.ts'
import { insertRows } from './insert-rows.ts'
import { allIn } from './many.ts'
import type { SessionRow } from './rows.ts'
import { all, first, type Steps } from './steps.ts'

const COMMITTED = EVENT_TYPES.indexOf('fold-committed')
const FAILED = EVENT_TYPES.indexOf('fold-failed')

interface FoldRow {
  readonly id: number
  readonly type: number
  readonly at: number
  readonly from_seq: number | null
  readonly to_seq: number | null
  readonly data: string | null
}

/**
 * Folds, the newest first. Events of one session are written one after the other, so their ids are in order.
 * The query names the types in the same way as the index of such events.
 */
export function* readFolds(
  session: SessionRow,
  { before = Number.MAX_SAFE_INTEGER, limit }: { readonly before?: number; readonly limit: number },
): Steps<readonly FoldEvent[]> {
  const rows = yield* all<FoldRow>(
    `SELECT id, type, at, from_seq, to_seq, data FROM events
     WHERE session_id = ?1 AND type IN (${COMMITTED}, ${FAILED}) AND id < ?2 ORDER BY id DESC LIMIT ?3`,
    session.id,
    before,
    limit,
  )
  if (rows.length === limit) return rows.map(toFoldEvent)
  // Folds whose events were trimmed.
  const older = yield* all<FoldRow>(
    `SELECT id, type, at, from_seq, to_seq, data FROM fold_history
     WHERE session_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3`,
    session.id,
    rows.at(-1)?.id ?? before,
    limit - rows.length,
  )
  return [...rows, ...older].map(toFoldEvent)
}

/** An event that is about to be trimmed. */
export interface OldEvent extends FoldRow {
  readonly session_id: number
}

const HISTORY = ['session_id', 'id', 'type', 'at', 'from_seq', 'to_seq', 'data'] as const

/** Keeps nothing of sessions that are being erased. */
export function* keepOldFolds(events: readonly OldEvent[]): Steps<void> {
  const folds = events.filter(({ type }) => type === COMMITTED || type === FAILED)
  if (folds.length === 0) return
  const found = yield* allIn<{ id: number }>(
    'SELECT id FROM sessions WHERE ready < 2 AND id IN (*)',
    [],
    [...new Set(folds.map(fold => fold.session_id))],
  )
  const sessions = new Set(found.map(({ id }) => id))
  const kept = folds.filter(fold => sessions.has(fold.session_id))
  const rows = kept.map(fold => ({ ...fold, data: withoutNames(fold.data) }))
  yield* insertRows(
    'fold_history',
    HISTORY,
    rows.map(row => HISTORY.map(column => row[column])),
  )
}

/** The fields of a committed fold. */
const FIELDS = [
  ...['outcome', 'tokensBefore', 'tokensAfter', 'durationMs', 'usage', 'type', 'reason', 'segmentIds'],
  'throughSeq',
]

/**
 * Without its names, the data is a third as long. Used only if the same fields can be restored in the same
 * order.
 */
function withoutNames(data: string | null): string | null {
  if (data === null) return null
  const fields = JSON.parse(data) as Readonly<Record<string, unknown>>
  const isUsual = Object.keys(fields).join() === FIELDS.join()
  return isUsual ? JSON.stringify(Object.values(fields)) : data
}

function dataOf(data: string | null): FoldEvent['data'] {
  if (data === null) return {}
  const fields = JSON.parse(data) as FoldEvent['data'] | readonly unknown[]
  if (!Array.isArray(fields)) return fields as FoldEvent['data']
  return Object.fromEntries(FIELDS.map((name, index) => [name, fields[index]]))
}

/** Uses the same index, which holds failed folds too. */
export function* readLastFold({ id }: SessionRow): Steps<number> {
  const row = yield* first<{ id: number | null }>(
    `SELECT max(id) AS id FROM events WHERE session_id = ?1 AND type IN (${COMMITTED}, ${FAILED})`,
    id,
  )
  return row?.id ?? 0
}

/** How many folds were committed after that event. Each begins one epoch. */
export function* countFoldsAfter({ id }: SessionRow, event: number): Steps<number> {
  const row = yield* first<{ count: number }>(
    `SELECT count(*) AS count FROM events
     WHERE session_id = ?1 AND type IN (${COMMITTED}, ${FAILED}) AND type = ${COMMITTED} AND id > ?2`,
    id,
    event,
  )
  return row!.count
}

function toFoldEvent({ id, type, at, from_seq, to_seq, data }: FoldRow): FoldEvent {
  return {
    id,
    outcome: type === COMMITTED ? 'applied' : 'failed',
    at: new Date(at),
    fromSeq: from_seq,
    toSeq: to_seq,
    data: dataOf(data),
  }
}
