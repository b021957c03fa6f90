import { SessionNotFoundError, SettingsConflictError } from '../../errors.ts'
import { canonicalJson } from '../canonical-json.ts'
import { checkTraits, DEFAULT_KIND, type GivenTraits } from '../session-traits.ts'
import type { SessionKey } from '../store.ts'
import type { Dialect, LockName } from './driver.ts'
import { recordEvent } from './events.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import { checkNewIds } from './new-ids.ts'
import { SESSION_COLUMNS, type SessionRow, settingsOf, type TraitColumns, traitsOf } from './rows.ts'
import { checkSeen } from './seen.ts'
import { all, first, run, type Steps } from './steps.ts'

const FIND = `SELECT ${SESSION_COLUMNS} FROM sessions
  WHERE namespace = ?1 AND name_key = ?2 AND ready = 1`

/** Refuses a key if its caller takes the session for something else: see `SessionKey`. */
export function* findSession(key: SessionKey): Steps<SessionRow | undefined> {
  const session = yield* findByName(key)
  checkClaim(key, session)
  return session
}

function* findByName({ namespace, id }: SessionKey): Steps<SessionRow | undefined> {
  return yield* first<SessionRow>(FIND, namespace, keyOf(id))
}

function checkClaim({ id, traits }: SessionKey, session: TraitColumns | undefined): void {
  if (session && traits) checkTraits(id, traits, traitsOf(session))
}

/** For a writer: other transactions that write the same session wait until this one ends. */
export function lockName(key: SessionKey, { lock }: Dialect): Steps<void> {
  return lock('session', nameOf(key))
}

/** Tries to lock each session and waits for none. Returns, for each, whether this transaction has it now. */
export function tryLockNames(keys: readonly SessionKey[], { tryLocks }: Dialect): Steps<readonly boolean[]> {
  return tryLocks('session', keys.map(nameOf))
}

function nameOf({ namespace, id }: SessionKey): LockName {
  return [namespace, keyOf(id)]
}

/**
 * Refuses a key if the session is not as the caller saw it, or if the caller takes it for something else: see
 * `SessionKey`.
 */
export function* lockSession(key: SessionKey, dialect: Dialect): Steps<SessionRow | undefined> {
  yield* lockName(key, dialect)
  const session = yield* findByName(key)
  // First: if the session that the caller meant is gone, another session of its name does not matter.
  yield* checkSeen(key, session)
  checkClaim(key, session)
  return session
}

export function* lockExistingSession(key: SessionKey, dialect: Dialect): Steps<SessionRow> {
  const session = yield* lockSession(key, dialect)
  if (!session) throw new SessionNotFoundError(key.id)
  return session
}

export function* lockOrCreateSession(
  key: SessionKey,
  { traits, zone = null, now }: { traits: GivenTraits; zone?: string | null; now: number },
  dialect: Dialect,
): Steps<SessionRow> {
  const existing = yield* lockSession(key, dialect)
  if (existing) return existing
  checkNewIds({ session: key.id, user: traits.user, scope: traits.scope })
  const [created] = yield* all<{ id: number }>(
    `INSERT INTO sessions (namespace, name_key, name, kind, user_id, scope_id, created_at, zone,
       epoch, first_epoch, lease_token)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ${FLOOR}, ${FLOOR}, ${FLOOR})
     ON CONFLICT (namespace, name_key) DO NOTHING RETURNING id`,
    key.namespace,
    keyOf(key.id),
    key.id,
    traits.kind ?? DEFAULT_KIND,
    traits.user,
    traits.scope,
    now,
    zone,
  )
  if (created) yield* recordEvent({ sessionId: created.id, type: 'session-created', at: now })
  return yield* lockExistingSession(key, dialect)
}

export function* readOwnSettings(key: SessionKey): Steps<Readonly<Record<string, unknown>>> {
  const row = yield* first<TraitColumns & { readonly settings: string | null }>(
    'SELECT settings, kind, user_id, scope_id FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 1',
    key.namespace,
    keyOf(key.id),
  )
  checkClaim(key, row)
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
