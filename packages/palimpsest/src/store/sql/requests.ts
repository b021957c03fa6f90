import { lastBelieved } from '../../log/index.ts'
import type { RequestName, RequestState } from '../repeatable-request.ts'
import type { Dialect } from './driver.ts'
import { all, first, run, type Steps } from './steps.ts'

const SWEPT_AT_ONCE = 20

interface RequestRow {
  readonly fingerprint: string
  readonly answer: string | null
}

/**
 * One statement, so that of two requests at once only one begins. A running request counts as running at most
 * as long as this one would. A stored answer stays valid, whenever its time ends.
 */
export function* beginRequest(
  namespace: string,
  { name, fingerprint, now, until }: RequestName & { now: number; until: number },
  dialect: Dialect,
): Steps<RequestState> {
  const begun = yield* first(
    `INSERT INTO requests AS r (namespace, name, fingerprint, until) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (namespace, name) DO UPDATE
       SET fingerprint = excluded.fingerprint, answer = NULL, until = excluded.until
     WHERE r.until <= ?5 OR (r.answer IS NULL AND r.until > ?6)
     RETURNING name`,
    ...[namespace, name, fingerprint, until, now, lastBelieved(now, until - now)],
  )
  if (begun) {
    yield* sweep(now, dialect)
    return { state: 'begun' }
  }
  const row = yield* first<RequestRow>(
    'SELECT fingerprint, answer FROM requests WHERE namespace = ?1 AND name = ?2',
    namespace,
    name,
  )
  // The row was dropped in between: the request failed, so the caller may ask again.
  if (!row) return { state: 'running', fingerprint }
  return row.answer === null
    ? { state: 'running', fingerprint: row.fingerprint }
    : { state: 'answered', fingerprint: row.fingerprint, answer: JSON.parse(row.answer) }
}

/** The end time identifies the process that began the request: a later process has another one. */
export function* finishRequest(
  namespace: string,
  request: { name: string; begunUntil: number; answer: unknown; until: number },
): Steps<void> {
  const { name, begunUntil, answer, until } = request
  yield* run(
    `UPDATE requests SET answer = ?3, until = ?4
     WHERE namespace = ?1 AND name = ?2 AND until = ?5 AND answer IS NULL`,
    ...[namespace, name, JSON.stringify(answer), until, begunUntil],
  )
}

export function* dropRequest(
  namespace: string,
  { name, begunUntil }: { name: string; begunUntil: number },
): Steps<void> {
  yield* run(
    'DELETE FROM requests WHERE namespace = ?1 AND name = ?2 AND until = ?3 AND answer IS NULL',
    ...[namespace, name, begunUntil],
  )
}

/**
 * Deletes a few at a time, but more than one request adds. Rows that another process is about to begin again
 * are left out.
 */
function* sweep(now: number, { skipLocked }: Dialect): Steps<void> {
  const expired = yield* all<{ namespace: string; name: string }>(
    `SELECT namespace, name FROM requests WHERE until <= ?1 ORDER BY until LIMIT ${SWEPT_AT_ONCE}
     ${skipLocked}`,
    now,
  )
  for (const { namespace, name } of expired)
    yield* run('DELETE FROM requests WHERE namespace = ?1 AND name = ?2', namespace, name)
}
