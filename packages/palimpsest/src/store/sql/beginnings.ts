import type { Head } from '../../policy/index.ts'
import type { Beginning, Chapter } from '../store.ts'
import type { SessionRow } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'
import { readVisible } from './visible.ts'

/**
 * The places where contexts begin anew. Each has a row, so that taking back the newest puts the one before
 * into force. The newest is also in the session's own row, for every reader.
 */

interface BeginningRow {
  readonly after_seq: number
  readonly folded_through: number
  readonly at: number
}

const NEWEST = `SELECT after_seq, folded_through, at FROM beginnings WHERE session_id = ?1
  ORDER BY after_seq DESC LIMIT 1`

export function* readNewestBeginning({ id }: SessionRow): Steps<BeginningRow | undefined> {
  return yield* first<BeginningRow>(NEWEST, id)
}

export function* readBeginnings({ id, begins_after }: SessionRow): Steps<readonly Beginning[]> {
  if (begins_after === 0) return []
  const rows = yield* all<BeginningRow>(
    'SELECT after_seq, folded_through, at FROM beginnings WHERE session_id = ?1 ORDER BY after_seq',
    id,
  )
  return rows.map(row => ({ afterSeq: row.after_seq, at: new Date(row.at) }))
}

/** A rollback hides a beginning together with the messages after it. */
export function* dropBeginningsAbove(session: SessionRow, seq: number): Steps<SessionRow> {
  if (session.begins_after <= seq) return session
  yield* run('DELETE FROM beginnings WHERE session_id = ?1 AND after_seq > ?2', session.id, seq)
  return yield* settleBeginnings(session)
}

/**
 * A late answer may answer messages before the newest beginning, with no message between them. It belongs to
 * what it answers, so the beginning moves behind it. A new epoch begins.
 */
export function* moveBehindAnswer(
  session: SessionRow,
  { follows, before, head }: { follows: readonly number[]; before: Head | null; head: Head },
): Steps<SessionRow> {
  const isLate = follows.length > 0 && follows.every(seq => seq <= session.begins_after)
  if (!isLate || (before?.seq ?? 0) > session.begins_after || head.seq <= session.begins_after) return session
  yield* run(
    'UPDATE beginnings SET after_seq = ?3 WHERE session_id = ?1 AND after_seq = ?2',
    session.id,
    session.begins_after,
    head.seq,
  )
  yield* run('UPDATE sessions SET begins_after = ?2, epoch = epoch + 1 WHERE id = ?1', session.id, head.seq)
  return { ...session, begins_after: head.seq, epoch: session.epoch + 1 }
}

/** Copies the newest beginning from its row to the session's row. Returns the session's row after that. */
export function* settleBeginnings(session: SessionRow): Steps<SessionRow> {
  const newest = yield* readNewestBeginning(session)
  const begins_after = newest?.after_seq ?? 0
  yield* run('UPDATE sessions SET begins_after = ?2 WHERE id = ?1', session.id, begins_after)
  return { ...session, begins_after }
}

export function* copyBeginnings(origin: SessionRow, copy: SessionRow, throughSeq: number): Steps<SessionRow> {
  if (origin.begins_after === 0) return copy
  yield* run(
    `INSERT INTO beginnings (session_id, after_seq, folded_through, at)
     SELECT ?2, after_seq, folded_through, at FROM beginnings WHERE session_id = ?1 AND after_seq <= ?3`,
    origin.id,
    copy.id,
    throughSeq,
  )
  return yield* settleBeginnings(copy)
}

/**
 * The part of the log from which a fold may take its messages: no segment reaches over a beginning. It is the
 * chapter of the oldest raw message. If all raw messages of an ended chapter were erased, that chapter has
 * nothing left to fold.
 */
export function* readChapter(session: SessionRow, compactedThrough: number): Steps<Chapter> {
  const { id, begins_after } = session
  if (begins_after <= compactedThrough) return { afterSeq: begins_after, throughSeq: null }
  const [oldest] = yield* readVisible<{ seq: number }>(session, {
    columns: 'seq',
    tables: 'messages',
    after: compactedThrough,
    through: begins_after,
    limit: 1,
    from: 'oldest',
  })
  if (!oldest) return { afterSeq: begins_after, throughSeq: null }
  const row = yield* first<{ after: number | null; through: number | null }>(
    `SELECT (SELECT max(after_seq) FROM beginnings WHERE session_id = ?1 AND after_seq < ?2) AS after,
       (SELECT min(after_seq) FROM beginnings WHERE session_id = ?1 AND after_seq >= ?2) AS through`,
    id,
    oldest.seq,
  )
  return { afterSeq: row?.after ?? 0, throughSeq: row?.through ?? null }
}
