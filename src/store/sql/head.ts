import type { Head } from '../../policy/index.ts'
import { HEAD_COLUMNS, type HeadRow, type SessionRow, toHead } from './rows.ts'
import { first, type Steps } from './steps.ts'

/** The newest visible message. Two lookups at most, whatever was rolled back. */
export function* readHead(session: SessionRow): Steps<Head | null> {
  const newest = yield* first<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM messages WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1`,
    session.id,
  )
  return newest ? yield* visibleHead(session, newest) : null
}

export function* visibleHead(session: SessionRow, newest: HeadRow): Steps<Head | null> {
  if (newest.seq > session.hidden_through) return toHead(newest)
  return yield* readHeadAt(session, session.visible_before)
}

export function* readHeadAt(session: SessionRow, seq: number): Steps<Head | null> {
  const row = yield* first<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM messages WHERE session_id = ?1 AND seq = ?2`,
    session.id,
    seq,
  )
  return row ? toHead(row) : null
}

/** The highest `seq` that was ever given, hidden or not. */
export function* readLastSeq(session: SessionRow): Steps<number> {
  const row = yield* first<{ seq: number | null }>(
    'SELECT max(seq) AS seq FROM messages WHERE session_id = ?1',
    session.id,
  )
  return row?.seq ?? 0
}
