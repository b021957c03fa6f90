import type { RequestName, RequestState } from '../repeatable-request.ts'
import { first, run, type Steps } from './steps.ts'

const SWEPT_AT_ONCE = 20

interface RequestRow {
  readonly fingerprint: string
  readonly answer: string | null
}

/** By one statement, so that of two at once only one begins. */
export function* beginRequest(
  namespace: string,
  { name, fingerprint, now, until }: RequestName & { now: number; until: number },
): Steps<RequestState> {
  const begun = yield* first(
    `INSERT INTO requests AS r (namespace, name, fingerprint, until) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (namespace, name) DO UPDATE
       SET fingerprint = excluded.fingerprint, answer = NULL, until = excluded.until
     WHERE r.until <= ?5
     RETURNING name`,
    ...[namespace, name, fingerprint, until, now],
  )
  if (begun) {
    yield* sweep(now)
    return { state: 'begun' }
  }
  const row = yield* first<RequestRow>(
    'SELECT fingerprint, answer FROM requests WHERE namespace = ?1 AND name = ?2',
    namespace,
    name,
  )
  // Dropped in between: whoever had begun it has failed, and may be asked again.
  if (!row) return { state: 'running', fingerprint }
  return row.answer === null
    ? { state: 'running', fingerprint: row.fingerprint }
    : { state: 'answered', fingerprint: row.fingerprint, answer: JSON.parse(row.answer) }
}

export function* finishRequest(
  namespace: string,
  { name, answer, until }: { name: string; answer: unknown; until: number },
): Steps<void> {
  yield* run(
    'UPDATE requests SET answer = ?3, until = ?4 WHERE namespace = ?1 AND name = ?2',
    ...[namespace, name, JSON.stringify(answer), until],
  )
}

export function* dropRequest(namespace: string, name: string): Steps<void> {
  yield* run('DELETE FROM requests WHERE namespace = ?1 AND name = ?2 AND answer IS NULL', namespace, name)
}

/** A few at a time: whoever adds one takes more away than they add. */
function* sweep(now: number): Steps<void> {
  yield* run(
    `DELETE FROM requests WHERE (namespace, name) IN
       (SELECT namespace, name FROM requests WHERE until <= ?1 ORDER BY until LIMIT ${SWEPT_AT_ONCE})`,
    now,
  )
}
