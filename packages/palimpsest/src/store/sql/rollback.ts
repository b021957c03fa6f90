import type { Head } from '../../policy/index.ts'
import type { SessionRecord, Warn } from '../store.ts'
import { dropBeginningsAbove } from './beginnings.ts'
import type { Dialect } from './driver.ts'
import { dropFoldsAbove } from './drop-folds.ts'
import { recordEvent } from './events.ts'
import { readFoldState, stateFromSegments, writeFoldState } from './fold-state.ts'
import { countThrough, readHead, readHeadAt, readLastSeq, settleHead } from './head.ts'
import { settleHidden } from './hidden-ranges.ts'
import type { SessionRow } from './rows.ts'
import { findSession } from './session.ts'
import { readRecord } from './session-record.ts'
import { run, type Steps } from './steps.ts'
import { readVisible } from './visible.ts'
import { reopenAbove, settleAbove } from './waiting.ts'
import { withdrawFacts } from './withdraw-facts.ts'
import { widenFacts } from './withheld.ts'

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
    const hidden = yield* dropBeginningsAbove(yield* hideAbove(session, head?.seq ?? 0), toSeq)
    yield* settleAbove(session, head?.seq ?? 0)
    yield* reopenAbove(session, head?.seq ?? 0)
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

/** One row, however many messages there are: the range replaces the ranges inside it. */
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
