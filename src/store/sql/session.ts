import { SessionNotFoundError } from '../../errors.ts'
import type { Memo } from '../../log/index.ts'
import { type FoldState, type Head, INITIAL_FOLD_STATE } from '../../policy/index.ts'
import type { SessionKey, SessionRecord, SessionTraits, Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { keyOf } from './keys.ts'
import { HEAD_COLUMNS, type HeadRow, type SessionRow, toDecision, toFoldState, toHead } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'

const FIND = 'SELECT s.* FROM sessions s WHERE s.namespace = ?1 AND s.name_key = ?2 AND s.ready = 1'

export function* findSession({ namespace, id }: SessionKey): Steps<SessionRow | undefined> {
  return yield* first<SessionRow>(FIND, namespace, keyOf(id))
}

/** For a writer: others who write the same session wait until this transaction ends. */
export function* lockSession({ namespace, id }: SessionKey, dialect: Dialect): Steps<SessionRow | undefined> {
  return yield* first<SessionRow>(FIND + dialect.lockSession, namespace, keyOf(id))
}

export function* lockExistingSession(key: SessionKey, dialect: Dialect): Steps<SessionRow> {
  const session = yield* lockSession(key, dialect)
  if (!session) throw new SessionNotFoundError(key.id)
  return session
}

export function* lockOrCreateSession(
  key: SessionKey,
  { traits, now }: { traits: SessionTraits; now: number },
  dialect: Dialect,
): Steps<SessionRow> {
  const existing = yield* lockSession(key, dialect)
  if (existing) return existing
  const [created] = yield* all<{ id: number }>(
    `INSERT INTO sessions (namespace, name_key, name, kind, user_id, scope_id, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (namespace, name_key) DO NOTHING RETURNING id`,
    key.namespace,
    keyOf(key.id),
    key.id,
    traits.kind,
    traits.user,
    traits.scope,
    now,
  )
  if (created) yield* recordEvent({ sessionId: created.id, type: 'session-created', at: now })
  return yield* lockExistingSession(key, dialect)
}

/** The newest visible message. Two lookups at most, whatever was rolled back. */
export function* readHead(session: SessionRow): Steps<Head | null> {
  const newest = yield* first<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM messages WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1`,
    session.id,
  )
  if (!newest) return null
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

function* readMemo(session: SessionRow): Steps<Memo | null> {
  const row = yield* first<{ memo: string; through_seq: number }>(
    'SELECT memo, through_seq FROM memos WHERE session_id = ?1 ORDER BY version DESC LIMIT 1',
    session.id,
  )
  return row ? { value: JSON.parse(row.memo), throughSeq: row.through_seq } : null
}

/**
 * A stored cursor is believed only if the log reaches that far. Otherwise it is taken as none: the
 * messages are all there, and will be folded again.
 */
export function foldStateOf(session: SessionRow, head: Head | null, warn: Warn): FoldState {
  const cursor = session.compacted_through
  if (cursor >= 0 && cursor <= (head?.seq ?? 0)) return toFoldState(session)
  return withoutCursor(session, warn)
}

function withoutCursor(session: SessionRow, warn: Warn): FoldState {
  warn('The stored cursor makes no sense and is taken as none; the messages are all there.', {
    sessionId: session.name,
    compactedThrough: session.compacted_through,
  })
  return { ...INITIAL_FOLD_STATE, overheadTokens: session.overhead_tokens }
}

export function* readRecord(session: SessionRow, warn: Warn): Steps<SessionRecord> {
  const head = yield* readHead(session)
  const shown = yield* first<{ count: number; through: number | null }>(
    `SELECT count(*) AS count, max(to_seq) AS through FROM segments
     WHERE session_id = ?1 AND rolled_into IS NULL`,
    session.id,
  )
  let state = foldStateOf(session, head, warn)
  // A cursor past the last segment would hide what no segment covers.
  if (state.compactedThrough > 0 && state.compactedThrough !== shown?.through)
    state = withoutCursor(session, warn)
  return {
    id: session.name,
    kind: session.kind,
    user: session.user_id,
    scope: session.scope_id,
    createdAt: new Date(session.created_at),
    origin: session.origin === null ? null : JSON.parse(session.origin),
    settings: session.settings === null ? {} : JSON.parse(session.settings),
    epoch: session.epoch,
    state,
    head,
    segments: shown?.count ?? 0,
    memo: yield* readMemo(session),
    pending: toDecision(session.pending),
    dueAt: session.due_at === null ? null : new Date(session.due_at),
    folding: session.lease_owner !== null,
    failures: session.failures,
    lastOutcome: session.last_outcome === null ? null : JSON.parse(session.last_outcome),
  }
}

export function* listSessions(
  namespace: string,
  page: { after?: string; limit: number },
  warn: Warn,
): Steps<readonly SessionRecord[]> {
  const rows = yield* all<SessionRow>(
    `SELECT s.* FROM sessions s WHERE s.namespace = ?1 AND s.name_key > ?2 AND s.ready = 1
     ORDER BY s.name_key LIMIT ?3`,
    namespace,
    page.after === undefined ? '' : keyOf(page.after),
    page.limit,
  )
  const records: SessionRecord[] = []
  for (const row of rows) records.push(yield* readRecord(row, warn))
  return records
}

/** Everything that folding keeps with a session. An epoch begins with each such write. */
export function* writeFoldState(session: SessionRow, state: FoldState): Steps<void> {
  yield* run(
    `UPDATE sessions SET epoch = epoch + 1, compacted_through = ?2,
       folded_messages = ?3, folded_turns = ?4, folded_characters = ?5, folded_tokens = ?6,
       decided_messages = ?7, decided_replies = ?8, decided_at = ?9, last_fold_at = ?10,
       stalled_messages = ?11, stalled_characters = ?12, stalled_tokens = ?13,
       segment_tokens = ?14, overhead_tokens = ?15, backoff_until = ?16
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
    state.stalled.messages,
    state.stalled.characters,
    state.stalled.tokens,
    state.segmentTokens,
    state.overheadTokens,
    state.backoffUntil,
  )
}

export function* updateSettings(
  session: SessionRow,
  settings: Readonly<Record<string, unknown>>,
): Steps<void> {
  yield* run('UPDATE sessions SET settings = ?2 WHERE id = ?1', session.id, JSON.stringify(settings))
}

export function* recordOverhead(session: SessionRow, tokens: number): Steps<void> {
  if (session.overhead_tokens === tokens) return
  yield* run('UPDATE sessions SET overhead_tokens = ?2 WHERE id = ?1', session.id, tokens)
}
