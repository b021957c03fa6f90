import { EVENT_TYPES, type FoldEvent } from '../store.ts'
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
 * The newest first. Those of one session are written one after the other, so their ids alone are in order; the types
 * are written out as the index of such events has them.
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
  return rows.map(toFoldEvent)
}

/** By the same index, which holds failed folds too. */
export function* readLastFold({ id }: SessionRow): Steps<number> {
  const row = yield* first<{ id: number | null }>(
    `SELECT max(id) AS id FROM events WHERE session_id = ?1 AND type IN (${COMMITTED}, ${FAILED})`,
    id,
  )
  return row?.id ?? 0
}

/** How many folds were committed after that one. Each begins one epoch. */
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
    data: data === null ? {} : JSON.parse(data),
  }
}
