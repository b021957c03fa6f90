import { ownerOf, type Slice } from './erasure-slice.ts'
import type { SessionRow } from './rows.ts'
import { all, run, type Steps } from './steps.ts'

/** A session that took messages from another one, up to and including `through`. */
export interface Fork {
  readonly id: number
  readonly through: number
}

/** Where a session's messages come from; `null`: they are its own. */
export function originOf({ origin }: Pick<SessionRow, 'origin'>): { sessionId: string; seq: number } | null {
  return origin === null ? null : (JSON.parse(origin) as { sessionId: string; seq: number })
}

/**
 * The present forks of a session. The caller holds the session's lock, and has begun an epoch in it or hidden
 * it. So a fork that has not copied everything yet fails when it checks the original again. A fork that has
 * copied everything and only waits to appear never appears.
 */
export function* forksOf(session: SessionRow, slice: Slice): Steps<readonly Fork[]> {
  yield* doomBuildsOf(session, slice)
  const rows = yield* readForks(session, 1)
  return rows.map(({ id, origin }) => ({ id, through: originOf({ origin })!.seq }))
}

/** Builds of forks are erased like sessions. */
export function* doomBuildsOf(session: SessionRow, slice: Slice): Steps<void> {
  for (const { id } of yield* readForks(session, 0)) yield* doomBuild(id, slice)
}

/** `ready` decides: at its next write the builder finds that the build is no longer its own. */
export function* doomBuild(id: number, slice: Slice): Steps<void> {
  yield* run(
    'UPDATE sessions SET ready = 2, lease_owner = ?2, lease_until = NULL WHERE id = ?1 AND ready = 0',
    id,
    ownerOf(slice),
  )
}

/**
 * Found by the text of their origin, as far as it does not depend on the message. The order must not be that
 * of an index: that index has all sessions, and PostgreSQL does not know how few of them are forks
 * (`column-statistics.ts`).
 */
export function* readForks(
  { namespace, name }: SessionRow,
  ready: 0 | 1,
): Steps<readonly { id: number; name: string; origin: string }[]> {
  const origin = `${JSON.stringify({ sessionId: name }).slice(0, -1)},`
  return yield* all<{ id: number; name: string; origin: string }>(
    `SELECT id, name, origin FROM sessions WHERE namespace = ?1 AND origin IS NOT NULL AND ready = ?3
       AND substr(origin, 1, length(CAST(?2 AS TEXT))) = CAST(?2 AS TEXT) ORDER BY id + 0`,
    namespace,
    origin,
    ready,
  )
}
