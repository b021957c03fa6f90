import type { Head } from '../../policy/index.ts'
import type { SessionRecord, Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { readFoldState, stateFromSegments, writeFoldState } from './fold-state.ts'
import { countThrough, readHead, readHeadAt, readLastSeq, settleHead } from './head.ts'
import { settleHidden } from './hidden-ranges.ts'
import { idsRolledInto } from './lower-segments.ts'
import { runIn } from './many.ts'
import { forgetPacked } from './packs.ts'
import type { SessionRow } from './rows.ts'
import { findSession } from './session.ts'
import { readRecord } from './session-record.ts'
import { all, first, run, type Steps } from './steps.ts'
import { readVisible } from './visible.ts'
import { settleAbove } from './waiting.ts'
import { withdrawFacts } from './withdraw-facts.ts'
import { forgetMemos, OLDEST_WINDOW, widenFacts } from './withheld.ts'

export function* rollback(
  session: SessionRow,
  { toSeq, now }: { toSeq: number; now: number },
  { dialect, warn }: { dialect: Dialect; warn: Warn },
): Steps<SessionRecord> {
  const before = yield* readHead(session)
  if (before !== null && before.seq > toSeq) {
    const head = yield* readHeadAtOrBelow(session, toSeq)
    yield* widenFacts(session, (head?.seq ?? 0) + 1)
    yield* withdrawFacts(session, { above: head?.seq ?? 0, now }, dialect)
    const state = yield* readFoldState(session, before, warn)
    const newest = head && (yield* settleHead(session, head, yield* countThrough(session, head, before)))
    const hidden = yield* hideAbove(session, head?.seq ?? 0)
    yield* settleAbove(session, head?.seq ?? 0)
    yield* dropFoldsAbove(session, head?.seq ?? 0)
    yield* writeFoldState(session, yield* stateFromSegments(hidden, { head: newest, state }))
    yield* run(
      `UPDATE sessions SET pending = NULL, due_at = NULL,
         extracted_through = CASE WHEN extracted_through > ?2 THEN ?2 ELSE extracted_through END
       WHERE id = ?1`,
      session.id,
      head?.seq ?? 0,
    )
    yield* recordEvent({
      sessionId: session.id,
      type: 'session-rolled-back',
      at: now,
      fromSeq: (head?.seq ?? 0) + 1,
      toSeq: before.seq,
    })
  }
  const current = yield* findSession({ namespace: session.namespace, id: session.name })
  return yield* readRecord(current!, warn)
}

export function* readHeadAtOrBelow(session: SessionRow, seq: number): Steps<Head | null> {
  const [row] = yield* readVisible<{ seq: number }>(session, {
    columns: 'seq',
    tables: 'messages',
    after: 0,
    through: seq,
    limit: 1,
    from: 'newest',
  })
  return row ? yield* readHeadAt(session, row.seq) : null
}

/** One row, however many messages: a range swallows those that it contains. */
function* hideAbove(session: SessionRow, seq: number): Steps<SessionRow> {
  const last = yield* readLastSeq(session)
  yield* run('DELETE FROM hidden_ranges WHERE session_id = ?1 AND from_seq > ?2', session.id, seq)
  yield* run(
    'INSERT INTO hidden_ranges (session_id, from_seq, to_seq) VALUES (?1, ?2, ?3)',
    session.id,
    seq + 1,
    last,
  )
  return yield* settleHidden(session)
}

/**
 * Segments that reach past the cut go, and those that were rolled up into them are shown again. A window reaches as
 * far as whoever chose it had read; what was folded after it rests on it, and goes with it.
 */
function* dropFoldsAbove(session: SessionRow, seq: number): Steps<void> {
  yield* forgetMemos(session, seq + 1)
  const window = yield* first<{ id: number | null }>(`SELECT (${OLDEST_WINDOW}) AS id`, session.id, seq + 1)
  const past = yield* all<{ id: number; mark: string }>(
    'SELECT id, text AS mark FROM segments WHERE session_id = ?1 AND to_seq > ?2',
    session.id,
    seq,
  )
  const resting = yield* all<{ id: number; mark: string }>(
    'SELECT id, text AS mark FROM segments WHERE session_id = ?1 AND id >= ?2',
    session.id,
    window?.id ?? Number.MAX_SAFE_INTEGER,
  )
  yield* forgetPacked([...past, ...resting].map(({ mark }) => mark))
  const gone = [...new Set([...past, ...resting].map(({ id }) => id))]
  yield* runIn('DELETE FROM segments WHERE session_id = ?1 AND id IN (*)', [session.id], gone)
  yield* runIn(
    'UPDATE segments SET rolled_into = NULL WHERE session_id = ?1 AND id IN (*)',
    [session.id],
    yield* idsRolledInto(session.id, gone),
  )
}
