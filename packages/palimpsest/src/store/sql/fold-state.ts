import { completeTurns } from '../../log/index.ts'
import { type Amount, type FoldState, type Head, INITIAL_FOLD_STATE } from '../../policy/index.ts'
import type { Warn } from '../store.ts'
import { readHead } from './head.ts'
import { allIn } from './many.ts'
import { type SessionRow, toFoldState } from './rows.ts'
import { ask, first, type Question, run, type Steps } from './steps.ts'
import { readVisible, visitVisible } from './visible.ts'

/** Sums over the segments that contexts show. `through` is the last message that any of them covers. */
export interface Shown {
  readonly count: number
  readonly through: number
  readonly segmentTokens: number
}

interface ShownWithPins extends Shown {
  /** The tokens of the segments and the pins together. */
  readonly tokens: number
  readonly at: number | null
}

/** `from_seq > 0` is always true. SQLite takes the index of the shown segments only if the query says it. */
const NOT_ROLLED_UP = 'session_id = ?1 AND rolled_into IS NULL AND from_seq > 0'

/**
 * The segments of session `?1` that tell of something after the beginning `?2`. A segment may reach over the
 * beginning if a program made it that knows no beginnings. Without that segment there would be a gap. The
 * cost does not depend on how many segments lie before the beginning.
 */
export const TOLD_AFTER = `${NOT_ROLLED_UP} AND from_seq > coalesce(
    (SELECT CASE WHEN to_seq > ?2 THEN from_seq - 1 ELSE ?2 END FROM segments
     WHERE ${NOT_ROLLED_UP} AND from_seq <= ?2 ORDER BY from_seq DESC LIMIT 1), ?2)`

const SHOWN = `SELECT count(to_seq) AS count, CAST(coalesce(sum(tokens_after), 0) AS BIGINT) AS "segmentTokens",
    coalesce((SELECT to_seq FROM segments WHERE ${NOT_ROLLED_UP} ORDER BY from_seq DESC LIMIT 1), 0) AS through,
    CAST(coalesce(sum(tokens_after), 0) + (SELECT coalesce(sum(tokens), 0) FROM pins
      WHERE session_id = ?1 AND (seq IS NULL OR seq > ?2)) AS BIGINT) AS tokens,
    max(created_at) AS at
  FROM segments WHERE ${TOLD_AFTER}`

export function shownRow({ id, begins_after }: SessionRow): Question<ShownWithPins> {
  return ask(SHOWN, id, begins_after)
}

export function* readShown({ id, begins_after }: SessionRow): Steps<ShownWithPins> {
  return (yield* first<ShownWithPins>(SHOWN, id, begins_after))!
}

const TELLS = '(SELECT s.begins_after FROM sessions s WHERE s.id = g.session_id) < to_seq'

/** For many sessions, by their ids in the database. Sessions without segments are left out. */
export function* readAllShown(sessionIds: readonly number[]): Steps<ReadonlyMap<number, Shown>> {
  const rows = yield* allIn<Shown & { readonly session_id: number }>(
    `SELECT session_id, coalesce(max(to_seq), 0) AS through,
       CAST(coalesce(sum(CASE WHEN ${TELLS} THEN 1 END), 0) AS BIGINT) AS count,
       CAST(coalesce(sum(CASE WHEN ${TELLS} THEN tokens_after END), 0) AS BIGINT) AS "segmentTokens"
     FROM segments g WHERE session_id IN (*) AND rolled_into IS NULL AND from_seq > 0 GROUP BY session_id`,
    [],
    sessionIds,
  )
  return new Map(rows.map(row => [row.session_id, row]))
}

/** The state as stored. If the stored cursor makes no sense, the state is one without folds. */
export function* readFoldState(session: SessionRow, head: Head | null, warn: Warn): Steps<FoldState> {
  const shown = session.compacted_through > 0 ? yield* readShown(session) : null
  return yield* believedFoldState(session, head, { through: shown?.through ?? 0, warn })
}

/**
 * A stored cursor is believed only if the log reaches that far and the segments end there. A cursor past the
 * last segment would hide messages that no segment covers. A cursor that is not believed is ignored: the
 * messages are all there, and will be folded again.
 */
export function* believedFoldState(
  session: SessionRow,
  head: Head | null,
  { through, warn }: { through: number; warn: Warn },
): Steps<FoldState> {
  if (reachesCursor(session, head) && session.compacted_through === through) return toFoldState(session)
  if (session.compacted_through === 0) return toFoldState(session)
  return yield* stateWithoutFolds(session, head, warn)
}

/**
 * The first writer that looks closely repairs a cursor that makes no sense. Returns the state after the
 * repair.
 */
export function* repairFoldState(
  session: SessionRow,
  warn: Warn,
): Steps<{ readonly head: Head | null; readonly state: FoldState }> {
  const head = yield* readHead(session)
  const state = yield* readFoldState(session, head, warn)
  if (state.compactedThrough !== session.compacted_through) yield* writeFoldState(session, state)
  return { head, state }
}

/**
 * Whether the log reaches the stored cursor. This is the cheap half of the check, done at every append. If
 * the newest messages were erased, the cursor lies above the newest visible one.
 */
export function reachesCursor(session: SessionRow, head: Head | null): boolean {
  const last = Math.max(head?.seq ?? 0, session.hidden_through)
  return session.compacted_through >= 0 && session.compacted_through <= last
}

export function* stateWithoutFolds(session: SessionRow, head: Head | null, warn: Warn): Steps<FoldState> {
  warn('The stored cursor makes no sense and is taken as none; the messages are all there.', {
    sessionId: session.name,
    compactedThrough: session.compacted_through,
  })
  return {
    ...INITIAL_FOLD_STATE,
    overheadTokens: session.overhead_tokens,
    folded: yield* amountBelow(session, 0, head),
  }
}

/** Cursor and counters computed from the shown segments, with `head` as the newest message. */
export function* stateFromSegments(
  session: SessionRow,
  { head, state }: { head: Head | null; state: FoldState },
): Steps<FoldState> {
  const shown = yield* readShown(session)
  const { messages = 0, replies = 0 } = head?.totals ?? {}
  return {
    ...state,
    compactedThrough: shown.through,
    folded: yield* amountBelow(session, shown.through, head),
    decided: {
      ...state.decided,
      messages: Math.min(state.decided.messages, messages),
      replies: Math.min(state.decided.replies, replies),
    },
    lastFoldAt: shown.at,
    stalled: {},
    segmentTokens: shown.tokens,
    backoffUntil: null,
  }
}

/** The amount to subtract from the totals of `head`, so that the amount above the cursor is left. */
function* amountBelow(session: SessionRow, cursor: number, head: Head | null): Steps<Amount> {
  const { messages = 0, characters = 0, tokens = 0 } = head?.totals ?? {}
  const raw = yield* sumVisible(session, cursor, head?.seq ?? 0)
  return {
    messages: messages - raw.messages,
    turns: yield* turnsThrough(session, cursor, head),
    characters: characters - raw.characters,
    tokens: tokens - raw.tokens,
  }
}

/** Adds up the messages' own sizes, since edits leave the running totals as they were. */
export function* sumVisible(
  session: SessionRow,
  after: number,
  through: number,
): Steps<{ messages: number; characters: number; tokens: number }> {
  let sum = { messages: 0, characters: 0, tokens: 0 }
  yield* visitVisible(session, { after, through }, 'oldest', function* (span) {
    const row = (yield* first<{ messages: number; characters: number; tokens: number }>(
      `SELECT count(*) AS messages, CAST(coalesce(sum(characters), 0) AS BIGINT) AS characters,
         CAST(coalesce(sum(tokens), 0) AS BIGINT) AS tokens
       FROM messages WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3 ${span.andVisible}`,
      session.id,
      span.after,
      span.through,
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

/** The last turn without raw messages. If no message is raw, the last complete turn. */
export function* turnsThrough(session: SessionRow, cursor: number, head: Head | null): Steps<number> {
  if (head === null) return 0
  const [next] = yield* readVisible<{ total_turns: number }>(session, {
    columns: 'total_turns',
    tables: 'messages',
    after: cursor,
    through: head.seq,
    limit: 1,
    from: 'oldest',
  })
  return next ? next.total_turns - 1 : completeTurns(head.totals)
}

/**
 * If nothing raw was left, only the next message shows whether the last folded turn goes on above the cursor.
 * `firstTurn` is the turn of the first message above the cursor.
 */
export function* settleFoldedTurns(
  session: SessionRow,
  state: FoldState,
  firstTurn: number,
): Steps<FoldState> {
  const turns = firstTurn - 1
  if (state.folded.turns === turns) return state
  yield* run('UPDATE sessions SET folded_turns = ?2 WHERE id = ?1', session.id, turns)
  return { ...state, folded: { ...state.folded, turns } }
}

/** Writes everything that folding keeps with a session. Each such write begins an epoch. */
export function* writeFoldState(session: SessionRow, state: FoldState): Steps<void> {
  yield* run(
    `UPDATE sessions SET epoch = epoch + 1, epoch_calibrations = calibrations, compacted_through = ?2,
       folded_messages = ?3, folded_turns = ?4, folded_characters = ?5, folded_tokens = ?6,
       decided_messages = ?7, decided_replies = ?8, decided_at = ?9, last_fold_at = ?10,
       stalled = ?11, segment_tokens = ?12, overhead_tokens = ?13, backoff_until = ?14
     WHERE id = ?1`,
    session.id,
    state.compactedThrough,
    state.folded.messages,
    state.folded.turns,
    state.folded.characters,
    state.folded.tokens,
    state.decided.messages,
    state.decided.replies,
    state.decided.at,
    state.lastFoldAt,
    Object.keys(state.stalled).length === 0 ? null : JSON.stringify(state.stalled),
    state.segmentTokens,
    state.overheadTokens,
    state.backoffUntil,
  )
}
