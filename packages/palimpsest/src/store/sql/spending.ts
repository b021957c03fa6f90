import type { CallReservation, Spending, SpendLimitReached, SpendLimits, SpendRequest } from '../spending.ts'
import type { SessionKey } from '../store.ts'
import type { Dialect } from './driver.ts'
import { keyOf } from './keys.ts'
import { all, first, run, type Steps } from './steps.ts'

const WINDOW_MS = 3_600_000
/** The row of a whole namespace. Sessions are numbered from 1. */
const ALL_SESSIONS = 0
/** More rows than are added at a time. */
const SWEPT_AT_ONCE = 20

interface SpendRow {
  readonly session_id: number
  readonly calls: number
  readonly tokens: number
}

type Place = Pick<CallReservation, 'model' | 'windowStart' | 'session'>

/** Sessions are counted one by one only if a session has a limit. */
function* placeOf({ namespace, id }: SessionKey, { model, limits, now }: SpendRequest): Steps<Place> {
  const isCounted = limits.sessionCalls !== null || limits.sessionTokens !== null
  const session = isCounted
    ? yield* first<{ id: number }>(
        'SELECT id FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 1',
        namespace,
        keyOf(id),
      )
    : undefined
  return { model, windowStart: hourOf(now), session: session?.id ?? null }
}

export function* findSpendLimit(key: SessionKey, request: SpendRequest): Steps<SpendLimitReached | null> {
  const place = yield* placeOf(key, request)
  return firstReached(yield* readRows(key.namespace, place), place, request.limits)
}

function* readRows(namespace: string, { model, windowStart, session }: Place): Steps<readonly SpendRow[]> {
  return yield* all<SpendRow>(
    `SELECT session_id, calls, tokens FROM spending
     WHERE session_id IN (${ALL_SESSIONS}, ?1) AND namespace = ?2 AND model = ?3 AND window_start = ?4`,
    session ?? ALL_SESSIONS,
    namespace,
    keyOf(model),
    windowStart,
  )
}

export function* readSpending(namespace: string, { now }: { now: number }): Steps<readonly Spending[]> {
  const since = hourOf(now)
  const rows = yield* all<{ model: string; calls: number; tokens: number }>(
    `SELECT model, calls, tokens FROM spending
     WHERE session_id = ${ALL_SESSIONS} AND namespace = ?1 AND window_start = ?2`,
    namespace,
    since,
  )
  return rows.map(row => ({ ...row, since })).sort((one, other) => other.calls - one.calls)
}

function hourOf(now: number): number {
  return Math.floor(now / WINDOW_MS) * WINDOW_MS
}

/** The rows are as before the call. */
function firstReached(
  rows: readonly SpendRow[],
  { model, windowStart }: Place,
  limits: SpendLimits,
): SpendLimitReached | null {
  for (const { session_id, calls, tokens } of rows) {
    const isOfAll = session_id === ALL_SESSIONS
    const checks = [
      { unit: 'calls', used: calls, limit: isOfAll ? limits.calls : limits.sessionCalls },
      { unit: 'tokens', used: tokens, limit: isOfAll ? limits.tokens : limits.sessionTokens },
    ] as const
    for (const { unit, used, limit } of checks)
      if (limit !== null && used >= limit) {
        const scope = isOfAll ? 'namespace' : 'session'
        return { model, scope, unit, used, limit, until: windowStart + WINDOW_MS }
      }
  }
  return null
}

/**
 * First a lookup, since most calls come while a limit is either far away or already reached. Then the call is
 * counted, and the limit is checked once more. The last caller to count knows of all callers before it, also
 * in a database with many writers. If the limit is passed, it takes back its own count.
 */
export function* reserveCall(
  key: SessionKey,
  request: SpendRequest & { readonly tokens: number },
  dialect: Dialect,
): Steps<{ readonly reserved: CallReservation } | { readonly reached: SpendLimitReached }> {
  const { namespace } = key
  const place = yield* placeOf(key, request)
  const tokens = Math.max(0, Math.ceil(request.tokens))
  const before = firstReached(yield* readRows(namespace, place), place, request.limits)
  if (before !== null) return { reached: before }
  const counted = yield* countCall(namespace, { ...place, tokens })
  const others = counted.map(row => ({ ...row, calls: row.calls - 1, tokens: row.tokens - tokens }))
  const reached = firstReached(others, place, request.limits)
  const reserved = { ...place, tokens }
  if (reached !== null) {
    yield* correct(namespace, reserved, { calls: -1, tokens: -tokens })
    return { reached }
  }
  if (counted.some(({ calls }) => calls === 1)) yield* sweep(place.windowStart, dialect)
  return { reserved }
}

/**
 * The namespace's row comes before the session's row, here and below. So no two transactions wait for each
 * other in a circle.
 */
function* countCall(
  namespace: string,
  { model, windowStart, session, tokens }: CallReservation,
): Steps<readonly SpendRow[]> {
  const ofSession = session === null ? '' : ', (?5, ?1, ?2, ?3, 1, ?4)'
  return yield* all<SpendRow>(
    `INSERT INTO spending AS s (session_id, namespace, model, window_start, calls, tokens)
     VALUES (${ALL_SESSIONS}, ?1, ?2, ?3, 1, ?4)${ofSession}
     ON CONFLICT (session_id, namespace, model, window_start) DO UPDATE
       SET calls = s.calls + 1, tokens = s.tokens + excluded.tokens
     RETURNING session_id, calls, tokens`,
    ...[namespace, keyOf(model), windowStart, tokens, ...(session === null ? [] : [session])],
  )
}

function* correct(
  namespace: string,
  { model, windowStart, session }: CallReservation,
  by: { readonly calls: number; readonly tokens: number },
): Steps<void> {
  for (const row of session === null ? [ALL_SESSIONS] : [ALL_SESSIONS, session])
    yield* run(
      `UPDATE spending SET calls = calls + ?5, tokens = tokens + ?6
       WHERE session_id = ?1 AND namespace = ?2 AND model = ?3 AND window_start = ?4`,
      ...[row, namespace, keyOf(model), windowStart, by.calls, by.tokens],
    )
}

/** Counts in the hour in which the call began, whenever it ends. Does nothing if that hour is long over. */
export function* settleCall(
  namespace: string,
  reserved: CallReservation,
  took: { readonly calls: number; readonly tokens: number },
): Steps<void> {
  const by = { calls: took.calls - 1, tokens: Math.max(0, Math.ceil(took.tokens)) - reserved.tokens }
  if (by.calls !== 0 || by.tokens !== 0) yield* correct(namespace, reserved, by)
}

/**
 * Each call that adds a row deletes more rows than it adds. The last hour stays, for the calls that began in
 * it. The next hour stays, for clocks that are a little ahead. Rows of a later hour come from a wrong clock,
 * and would use up the limit of that hour.
 */
function* sweep(windowStart: number, { skipLocked }: Dialect): Steps<void> {
  const wrong: { session_id: number; namespace: string; model: string; window_start: number }[] = []
  for (const [condition, instant] of [
    ['window_start < ?1', windowStart - WINDOW_MS],
    ['window_start > ?1', windowStart + WINDOW_MS],
  ] as const)
    wrong.push(
      ...(yield* all<(typeof wrong)[number]>(
        `SELECT session_id, namespace, model, window_start FROM spending
         WHERE ${condition} ORDER BY window_start LIMIT ${SWEPT_AT_ONCE}
         ${skipLocked}`,
        instant,
      )),
    )
  for (const { session_id, namespace, model, window_start } of wrong)
    yield* run(
      'DELETE FROM spending WHERE session_id = ?1 AND namespace = ?2 AND model = ?3 AND window_start = ?4',
      session_id,
      namespace,
      model,
      window_start,
    )
}
