import { SessionExistsError } from '../../errors.ts'
import type { SessionKey, SessionTraits } from '../store.ts'
import type { Driver } from './driver.ts'
import { recordEvent } from './events.ts'
import { keyOf } from './keys.ts'
import type { SessionRow } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * A session that is written in many short transactions and appears whole or not at all: a fork, an
 * import. Until it is published it bears a name that nobody can ask for.
 */
export interface Build {
  readonly session: SessionRow
  /** One short transaction. */
  write<Result>(steps: (session: SessionRow) => Steps<Result>): Promise<Result>
}

/** Recorded when it is published, with the instant of its beginning. */
type BuildEvent = Omit<Parameters<typeof recordEvent>[0], 'sessionId'>

/** What a process that died left behind is taken away after this time. */
const ABANDONED_AFTER_MS = 3_600_000
const TABLES = ['messages', 'message_versions', 'hidden_ranges', 'segments', 'memos']
const ROWS_AT_A_TIME = 500

export async function buildSession(
  driver: Driver,
  key: SessionKey,
  { traits, event }: { traits: SessionTraits; event: BuildEvent },
  fill: (build: Build) => Promise<void>,
): Promise<void> {
  await discardAbandoned(driver, event.at)
  const session = await driver.write(() => begin(key, traits, event.at))
  try {
    await fill({ session, write: steps => driver.write(() => steps(session)) })
    await driver.write(() => publish(session, key, event))
  } catch (error) {
    // The original error matters more than one from tidying up; the next build tidies up again.
    await discard(driver, session.id).catch(() => {})
    throw error
  }
}

function* begin(key: SessionKey, traits: SessionTraits, now: number): Steps<SessionRow> {
  yield* checkFree(key)
  const [session] = yield* all<SessionRow>(
    `INSERT INTO sessions (namespace, name_key, name, ready, kind, user_id, scope_id, created_at, lease_until)
     VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?7) RETURNING *`,
    key.namespace,
    `\u0001${crypto.randomUUID()}`,
    key.id,
    traits.kind,
    traits.user,
    traits.scope,
    now,
  )
  return session!
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
    'UPDATE sessions SET ready = 1, name_key = ?2, lease_until = NULL WHERE id = ?1',
    session.id,
    keyOf(key.id),
  )
  yield* recordEvent({ sessionId: session.id, ...event })
}

async function discardAbandoned(driver: Driver, now: number): Promise<void> {
  const abandoned = await driver.read(() =>
    all<{ id: number }>(
      'SELECT id FROM sessions WHERE ready = 0 AND lease_until < ?1 ORDER BY id LIMIT 100',
      now - ABANDONED_AFTER_MS,
    ),
  )
  for (const { id } of abandoned) await discard(driver, id)
}

async function discard(driver: Driver, sessionId: number): Promise<void> {
  for (const table of TABLES) {
    const key = table === 'messages' || table === 'message_versions' ? 'seq' : null
    for (let more = true; more; ) more = await driver.write(() => deleteSome(table, key, sessionId))
  }
  await driver.write(() => run('DELETE FROM sessions WHERE id = ?1 AND ready = 0', sessionId))
}

function* deleteSome(table: string, key: 'seq' | null, sessionId: number): Steps<boolean> {
  if (key === null) {
    yield* run(`DELETE FROM ${table} WHERE session_id = ?1`, sessionId)
    return false
  }
  const rows = yield* all(
    `DELETE FROM ${table} WHERE session_id = ?1 AND seq IN
       (SELECT seq FROM ${table} WHERE session_id = ?1 ORDER BY seq LIMIT ${ROWS_AT_A_TIME}) RETURNING seq`,
    sessionId,
  )
  return rows.length === ROWS_AT_A_TIME
}
