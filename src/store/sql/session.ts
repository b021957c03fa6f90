import { SessionNotFoundError, SettingsConflictError } from '../../errors.ts'
import type { Memo } from '../../log/index.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { SessionKey, SessionRecord, SessionTraits, Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import { recordEvent } from './events.ts'
import { FLOOR } from './first-number.ts'
import { believedFoldState, readShown } from './fold-state.ts'
import { readHead } from './head.ts'
import { keyOf } from './keys.ts'
import { frozenLayers } from './layers.ts'
import { SESSION_COLUMNS, type SessionRow, settingsOf, toDecision } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'

const FIND = `SELECT ${SESSION_COLUMNS} FROM sessions
  WHERE namespace = ?1 AND name_key = ?2 AND ready = 1`

export function* findSession({ namespace, id }: SessionKey): Steps<SessionRow | undefined> {
  return yield* first<SessionRow>(FIND, namespace, keyOf(id))
}

/**
 * For a writer: others who write the same session wait until this transaction ends. The lock is no row's,
 * so that waiting for it begins no transaction id: ids are in the order of the commits, as events need.
 */
export function* lockSession(key: SessionKey, dialect: Dialect): Steps<SessionRow | undefined> {
  if (dialect.locksSessions)
    yield* run(
      'SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))',
      JSON.stringify([key.namespace, keyOf(key.id)]),
    )
  return yield* findSession(key)
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
    `INSERT INTO sessions (namespace, name_key, name, kind, user_id, scope_id, created_at,
       epoch, first_epoch, lease_token)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ${FLOOR}, ${FLOOR}, ${FLOOR})
     ON CONFLICT (namespace, name_key) DO NOTHING RETURNING id`,
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

function* readMemo(session: SessionRow): Steps<Memo | null> {
  const row = yield* first<{ memo: string; through_seq: number }>(
    'SELECT memo, through_seq FROM memos WHERE session_id = ?1 ORDER BY version DESC LIMIT 1',
    session.id,
  )
  return row ? { value: JSON.parse(row.memo), throughSeq: row.through_seq } : null
}

export function* readRecord(session: SessionRow, warn: Warn): Steps<SessionRecord> {
  const head = yield* readHead(session)
  const shown = yield* readShown(session)
  const state = yield* believedFoldState(session, head, { through: shown.through, warn })
  return {
    id: session.name,
    kind: session.kind,
    user: session.user_id,
    scope: session.scope_id,
    createdAt: new Date(session.created_at),
    origin: session.origin === null ? null : JSON.parse(session.origin),
    settings: settingsOf(session),
    epoch: session.epoch,
    firstEpoch: session.first_epoch,
    state,
    head,
    segments: state.compactedThrough === 0 ? 0 : shown.count,
    memo: yield* readMemo(session),
    pending: toDecision(session.pending),
    dueAt: session.due_at === null ? null : new Date(session.due_at),
    leaseUntil: session.lease_until === null ? null : new Date(session.lease_until),
    failures: session.failures,
    calibrations: {
      learned: session.calibrations === null ? {} : JSON.parse(session.calibrations),
      inForce: session.epoch_calibrations === null ? {} : JSON.parse(session.epoch_calibrations),
    },
    lastOutcome: session.last_outcome === null ? null : JSON.parse(session.last_outcome),
    layers: frozenLayers(session),
    extractedThrough: session.extracted_through,
  }
}

export function* listSessions(
  namespace: string,
  page: { after?: string; limit: number },
  warn: Warn,
): Steps<readonly SessionRecord[]> {
  const rows = yield* all<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE namespace = ?1 AND name_key > ?2 AND ready = 1
     ORDER BY name_key LIMIT ?3`,
    namespace,
    page.after === undefined ? '' : keyOf(page.after),
    page.limit,
  )
  const records: SessionRecord[] = []
  for (const row of rows) records.push(yield* readRecord(row, warn))
  return records
}

export function* readOwnSettings(key: SessionKey): Steps<Readonly<Record<string, unknown>>> {
  const row = yield* first<{ settings: string | null }>(
    'SELECT settings FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 1',
    key.namespace,
    keyOf(key.id),
  )
  return row ? settingsOf(row) : {}
}

export function* updateSettings(
  session: SessionRow,
  changes: Readonly<Record<string, unknown>>,
  { expected }: { readonly expected?: Readonly<Record<string, unknown>> } = {},
): Steps<void> {
  const current = settingsOf(session)
  if (expected && canonicalJson(current) !== canonicalJson(expected)) throw new SettingsConflictError()
  const merged = Object.entries({ ...current, ...changes }).filter(([, value]) => value != null)
  const settings = merged.length === 0 ? null : JSON.stringify(Object.fromEntries(merged))
  yield* run('UPDATE sessions SET settings = ?2 WHERE id = ?1', session.id, settings)
}

export function* recordCalibrations(
  session: SessionRow,
  calibrations: Readonly<Record<string, unknown>>,
): Steps<void> {
  yield* run('UPDATE sessions SET calibrations = ?2 WHERE id = ?1', session.id, JSON.stringify(calibrations))
}

export function* recordOverhead(session: SessionRow, tokens: number): Steps<void> {
  if (session.overhead_tokens === tokens) return
  yield* run('UPDATE sessions SET overhead_tokens = ?2 WHERE id = ?1', session.id, tokens)
}
