import { lastBelieved } from '../../log/index.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import { first, run, type Steps } from './steps.ts'

export interface LeaseRequest {
  readonly name: string
  readonly owner: string
  readonly ttlMs: number
  /** The longest time for which another holder may have taken the lease. The default is `ttlMs`. */
  readonly longestMs?: number
  readonly now: number
}

interface LeaseRow {
  readonly token: number
  readonly owner: string | null
  readonly until: number | null
}

function* findLease(namespace: string, name: string): Steps<LeaseRow | undefined> {
  return yield* first<LeaseRow>(
    'SELECT token, owner, until FROM leases WHERE namespace = ?1 AND name = ?2',
    namespace,
    keyOf(name),
  )
}

/**
 * One statement, so that of two callers at once only one gets the lease. Its present holder keeps the token.
 */
export function* takeLease(
  namespace: string,
  { name, owner, ttlMs, longestMs = ttlMs, now }: LeaseRequest,
): Steps<{ token: number } | null> {
  const taken = yield* first<{ token: number }>(
    `INSERT INTO leases AS l (namespace, name, token, owner, until) VALUES (?1, ?2, ${FLOOR} + 1, ?3, ?4)
     ON CONFLICT (namespace, name) DO UPDATE SET
       token = CASE WHEN l.owner = excluded.owner AND l.until > ?5 THEN l.token ELSE l.token + 1 END,
       owner = excluded.owner, until = excluded.until
     WHERE l.owner IS NULL OR l.owner = excluded.owner OR l.until <= ?5 OR l.until > ?6
     RETURNING token`,
    namespace,
    keyOf(name),
    owner,
    now + ttlMs,
    now,
    lastBelieved(now, longestMs),
  )
  return taken ? { token: taken.token } : null
}

export function* dropLease(namespace: string, { name, token }: { name: string; token: number }): Steps<void> {
  yield* run(
    'UPDATE leases SET owner = NULL, until = NULL WHERE namespace = ?1 AND name = ?2 AND token = ?3',
    namespace,
    keyOf(name),
    token,
  )
}

/** Ends a lease. Its holder can no longer commit anything that asks for it. */
export function* fenceLease(namespace: string, name: string): Steps<void> {
  yield* run(
    'UPDATE leases SET token = token + 1, owner = NULL, until = NULL WHERE namespace = ?1 AND name = ?2',
    namespace,
    keyOf(name),
  )
}

/** The token alone decides. A lease that ran out still holds if no other process has taken it since. */
export function* holdsLease(namespace: string, name: string, token: number): Steps<boolean> {
  const lease = yield* findLease(namespace, name)
  return lease?.token === token && lease.owner !== null
}
