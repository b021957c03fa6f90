import { lastBelieved } from '../../log/index.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import { first, run, type Steps } from './steps.ts'

export interface LeaseRequest {
  readonly name: string
  readonly owner: string
  readonly ttlMs: number
  /** How long another holder may have taken it for; left out: as long. */
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

/** By one statement, so that of two at once only one gets it; its own holder keeps the token. */
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

/** Whoever holds it holds it no longer, and can commit nothing that asks for it. */
export function* fenceLease(namespace: string, name: string): Steps<void> {
  yield* run(
    'UPDATE leases SET token = token + 1, owner = NULL, until = NULL WHERE namespace = ?1 AND name = ?2',
    namespace,
    keyOf(name),
  )
}

/** The token alone decides: one that ran out but that nobody took since still holds. */
export function* holdsLease(namespace: string, name: string, token: number): Steps<boolean> {
  const lease = yield* findLease(namespace, name)
  return lease?.token === token && lease.owner !== null
}
