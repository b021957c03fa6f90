import { LeaseLostError, SessionExistsError } from '../../errors.ts'
import { lastBelieved } from '../../log/index.ts'
import type { SessionTraits } from '../session-traits.ts'
import type { SessionKey } from '../store.ts'
import { deleteSome } from './delete-some.ts'
import type { Driver } from './driver.ts'
import { recordEvent } from './events.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import { checkNewIds } from './new-ids.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * A session that is written in many short transactions and appears whole or not at all: a fork or an import.
 * Until it is published it has a name that no caller can ask for.
 */
export interface Build {
  readonly session: SessionRow
  /** One short transaction. */
  write<Result>(steps: (session: SessionRow) => Steps<Result>): Promise<Result>
  /** Steps for rows that are found by the session's name. They run when the session is published. */
  whenPublished(steps: (session: SessionRow) => Steps<void>): void
}

/** Recorded when the build is published, with the time at which it began. */
type BuildEvent = Omit<Parameters<typeof recordEvent>[0], 'sessionId'>

/** A build without a write for this long is deleted: the process that wrote it is dead. */
const ABANDONED_AFTER_MS = 3_600_000
/** Another process may go on with a copy within this time. Then the copy need not start again. */
export const KEPT_FOR_MS = 24 * 3_600_000
/** The long tables first, with the keys of their rows. A session may have millions of these rows. */
const LONG_TABLES = [
  ['messages', 'seq'],
  ['message_versions', 'seq, version'],
  ['postings', 'term, first_seq'],
  ['index_blocks', 'block'],
  ['segments', 'id'],
  ['packs', 'id'],
] as const
const TABLES = [
  'hidden_ranges',
  'beginnings',
  'memos',
  'pins',
  'facts',
  'documents',
  'operations',
  'aliases',
  'allowances',
  'index_changes',
]

export async function buildSession(
  driver: Driver,
  key: SessionKey,
  { traits, event }: { traits: SessionTraits; event: BuildEvent },
  fill: (build: Build) => Promise<void>,
): Promise<void> {
  await discardAbandoned(driver)
  const session = await driver.write(() => begin(key, traits, event.at))
  const write: Build['write'] = async steps => {
    // Other work gets its turn between two slices.
    await new Promise(resolve => setImmediate(resolve))
    return driver.write(function* () {
      yield* renew(session)
      return yield* steps(session)
    })
  }
  let last: ((session: SessionRow) => Steps<void>) | null = null
  const whenPublished: Build['whenPublished'] = steps => {
    last = steps
  }
  try {
    await fill({ session, write, whenPublished })
    await write(function* () {
      yield* publish(session, key, event)
      if (last !== null) yield* last(session)
    })
  } catch (error) {
    // The first error matters more than one from the clean-up. A later build cleans up again.
    await discard(driver, session).catch(() => {})
    throw error
  }
}

function* begin(key: SessionKey, traits: SessionTraits, now: number): Steps<SessionRow> {
  checkNewIds({ session: key.id })
  yield* checkFree(key)
  const [session] = yield* all<SessionRow>(
    `INSERT INTO sessions
       (namespace, name_key, name, ready, kind, user_id, scope_id, created_at, lease_owner, lease_until)
     VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, 'build', ?8) RETURNING ${SESSION_COLUMNS}`,
    key.namespace,
    `\u0001${crypto.randomUUID()}`,
    key.id,
    traits.kind,
    traits.user,
    traits.scope,
    now,
    Date.now() + ABANDONED_AFTER_MS,
  )
  return session!
}

/** Marks the build as still being written. Fails if another process took it for abandoned. */
function* renew(session: SessionRow): Steps<void> {
  const [renewed] = yield* all(
    'UPDATE sessions SET lease_until = ?2 WHERE id = ?1 AND ready = 0 RETURNING id',
    session.id,
    Date.now() + ABANDONED_AFTER_MS,
  )
  if (!renewed) throw new LeaseLostError(session.name, session.id)
}

function* checkFree({ namespace, id }: SessionKey): Steps<void> {
  const taken = yield* first(
    'SELECT id FROM sessions WHERE namespace = ?1 AND name_key = ?2',
    namespace,
    keyOf(id),
  )
  if (taken) throw new SessionExistsError(id)
}

function* publish(session: SessionRow, key: SessionKey, event: BuildEvent): Steps<void> {
  yield* checkFree(key)
  yield* run(
    `UPDATE sessions SET ready = 1, name_key = ?3, lease_owner = NULL, lease_until = NULL, lease_token = ${FLOOR},
       epoch = epoch + ${FLOOR}, first_epoch = ${FLOOR} WHERE id = ?2`,
    key.namespace,
    session.id,
    keyOf(key.id),
  )
  yield* recordEvent({ sessionId: session.id, ...event })
}

export async function discardAbandoned(driver: Driver): Promise<void> {
  const now = Date.now()
  const abandoned = await driver.read(() =>
    all<{ id: number }>(
      `SELECT id FROM sessions WHERE ready = 0 AND (lease_until < ?1 OR lease_until > ?2) ORDER BY id LIMIT 100`,
      now,
      lastBelieved(now, KEPT_FOR_MS),
    ),
  )
  for (const session of abandoned) await discard(driver, session)
}

export async function discard(driver: Driver, { id }: { id: number }): Promise<void> {
  while (await driver.write(() => discardSome(id))) await new Promise(resolve => setImmediate(resolve))
}

/**
 * Deletes one slice of the build. `false`: nothing is left. A build that was published meanwhile is not
 * touched.
 */
function* discardSome(sessionId: number): Steps<boolean> {
  const build = yield* first('SELECT id FROM sessions WHERE id = ?1 AND ready = 0', sessionId)
  if (!build) return false
  for (const [table, key] of LONG_TABLES) {
    const rows = yield* deleteSome({ table, where: 'session_id = ?1', key }, sessionId)
    if (rows.length > 0) return true
  }
  for (const table of TABLES) yield* run(`DELETE FROM ${table} WHERE session_id = ?1`, sessionId)
  yield* run('DELETE FROM sessions WHERE id = ?1 AND ready = 0', sessionId)
  return false
}
