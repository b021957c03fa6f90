import type { FoldState, Head } from '../../policy/index.ts'
import type { SessionRecord, Warn } from '../store.ts'
import { recordEvent } from './events.ts'
import type { SessionRow } from './rows.ts'
import {
  findSession,
  foldStateOf,
  readHead,
  readHeadAt,
  readLastSeq,
  readRecord,
  writeFoldState,
} from './session.ts'
import { first, run, type Steps } from './steps.ts'
import { readVisible, visitVisible } from './visible.ts'

export function* rollback(
  session: SessionRow,
  { toSeq, now }: { toSeq: number; now: number },
  warn: Warn,
): Steps<SessionRecord> {
  const before = yield* readHead(session)
  if (before !== null && before.seq > toSeq) {
    const head = yield* readHeadAtOrBelow(session, toSeq)
    yield* hideAbove(session, head?.seq ?? 0)
    yield* dropFoldsAbove(session, head?.seq ?? 0)
    const state = foldStateOf(session, before, warn)
    yield* writeFoldState(session, yield* stateFromSegments(session, { head, state }))
    yield* run('UPDATE sessions SET pending = NULL, due_at = NULL WHERE id = ?1', session.id)
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
function* hideAbove(session: SessionRow, seq: number): Steps<void> {
  const last = yield* readLastSeq(session)
  yield* run('DELETE FROM hidden_ranges WHERE session_id = ?1 AND from_seq > ?2', session.id, seq)
  yield* run(
    'INSERT INTO hidden_ranges (session_id, from_seq, to_seq) VALUES (?1, ?2, ?3)',
    session.id,
    seq + 1,
    last,
  )
  yield* run(
    'UPDATE sessions SET hidden_through = ?2, visible_before = ?3 WHERE id = ?1',
    session.id,
    last,
    seq,
  )
}

/** Segments that reach past the cut go, and those that were rolled up into them are shown again. */
function* dropFoldsAbove(session: SessionRow, seq: number): Steps<void> {
  yield* run('DELETE FROM segments WHERE session_id = ?1 AND to_seq > ?2', session.id, seq)
  yield* run(
    `UPDATE segments SET rolled_into = NULL WHERE session_id = ?1 AND rolled_into IS NOT NULL
       AND rolled_into NOT IN (SELECT id FROM segments WHERE session_id = ?1)`,
    session.id,
  )
  yield* run('DELETE FROM memos WHERE session_id = ?1 AND through_seq > ?2', session.id, seq)
}

/** Cursor and counters as the shown segments have them, with `head` as the newest message. */
export function* stateFromSegments(
  session: SessionRow,
  { head, state }: { head: Head | null; state: FoldState },
): Steps<FoldState> {
  const shown = (yield* first<{ through: number | null; tokens: number | null; at: number | null }>(
    `SELECT max(to_seq) AS through, CAST(sum(tokens_after) AS BIGINT) AS tokens, max(created_at) AS at
     FROM segments WHERE session_id = ?1 AND rolled_into IS NULL`,
    session.id,
  ))!
  const compactedThrough = shown.through ?? 0
  const { messages = 0, replies = 0, characters = 0, tokens = 0 } = head?.totals ?? {}
  const raw = yield* sumVisible(session, compactedThrough, head?.seq ?? 0)
  return {
    ...state,
    compactedThrough,
    folded: {
      messages: messages - raw.messages,
      turns: yield* turnsThrough(session, compactedThrough, head),
      characters: characters - raw.characters,
      tokens: tokens - raw.tokens,
    },
    decided: {
      ...state.decided,
      messages: Math.min(state.decided.messages, messages),
      replies: Math.min(state.decided.replies, replies),
    },
    lastFoldAt: shown.at,
    stalled: { messages: 0, characters: 0, tokens: 0 },
    segmentTokens: shown.tokens ?? 0,
    backoffUntil: null,
  }
}

/** The messages' own sizes, since edits leave the running totals as they were. */
function* sumVisible(
  session: SessionRow,
  after: number,
  through: number,
): Steps<{ messages: number; characters: number; tokens: number }> {
  let sum = { messages: 0, characters: 0, tokens: 0 }
  yield* visitVisible(session, { after, through }, 'oldest', function* (stretch) {
    const row = (yield* first<{ messages: number; characters: number; tokens: number }>(
      `SELECT count(*) AS messages, CAST(coalesce(sum(characters), 0) AS BIGINT) AS characters,
         CAST(coalesce(sum(tokens), 0) AS BIGINT) AS tokens
       FROM messages WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3`,
      session.id,
      stretch.after,
      stretch.through,
    ))!
    sum = {
      messages: sum.messages + row.messages,
      characters: sum.characters + row.characters,
      tokens: sum.tokens + row.tokens,
    }
    return false
  })
  return sum
}

/** The last turn that lies wholly at or below the cursor. */
function* turnsThrough(session: SessionRow, cursor: number, head: Head | null): Steps<number> {
  const last = yield* readHeadAt(session, cursor)
  if (last === null || head === null) return 0
  const [next] = yield* readVisible<{ total_turns: number }>(session, {
    columns: 'total_turns',
    tables: 'messages',
    after: cursor,
    through: head.seq,
    limit: 1,
    from: 'oldest',
  })
  const turnEnds = next ? next.total_turns !== last.totals.turn : last.totals.complete
  return turnEnds ? last.totals.turn : last.totals.turn - 1
}
