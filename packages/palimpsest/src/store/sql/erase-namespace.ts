import { deleteSome } from './delete-some.ts'
import { dropAllSenders } from './erase-senders.ts'
import { hideSession, lockSessionById } from './erase-session.ts'
import type { ErasureStep, Slice } from './erasure-slice.ts'
import { doomBuild } from './forks.ts'
import { noteRevision } from './revision.ts'
import { ERASED_NAMES } from './seen.ts'
import { all, first, forgetJobs, type Steps } from './steps.ts'

/** A whole tenant. Rows that need no separate treatment go together. */

const SESSIONS_AT_A_TIME = 10
/** Counted over all namespaces, because there is no index by namespace and number. */
const NUMBERS_AT_A_TIME = 2_000

interface Cursor {
  readonly after: number
}

export const hideAllSessions: ErasureStep = function* (slice, cursor) {
  const { after } = (cursor ?? { after: 0 }) as Cursor
  const sessions = yield* all<{ id: number; name: string; ready: number }>(
    `SELECT id, name, ready FROM sessions WHERE id > ?2 AND id <= ?3 AND namespace = ?1 AND ready < 2
     ORDER BY id LIMIT ${SESSIONS_AT_A_TIME}`,
    slice.namespace,
    after,
    after + NUMBERS_AT_A_TIME,
  )
  // The order in which other writers lock several sessions.
  for (const { id, ready } of sessions.toSorted(byLockName)) {
    const session = ready === 0 ? undefined : yield* lockSessionById(id, slice)
    if (session) yield* hideSession(session, slice)
    else yield* doomBuild(id, slice)
  }
  const last = sessions.at(-1)
  if (last && cursor === null) yield* forgetJobs({ forget: { namespace: slice.namespace } })
  if (last) return { next: { after: last.id } satisfies Cursor }
  const newest = yield* first<{ id: number | null }>('SELECT max(id) AS id FROM sessions')
  if (after + NUMBERS_AT_A_TIME < (newest?.id ?? 0)) return { next: { after: after + NUMBERS_AT_A_TIME } }
  // Also the jobs that came for the sessions that were hidden last.
  yield* forgetJobs({ forget: { namespace: slice.namespace } })
  return 'done'
}

function byLockName(one: { readonly name: string }, other: { readonly name: string }): number {
  const [a, b] = [one, other].map(({ name }) => JSON.stringify(name))
  return a! < b! ? -1 : a! > b! ? 1 : 0
}

/**
 * Deletes what is left when sessions and documents are gone. The place of the files is kept until they are
 * gone, too.
 */
export const forgetNamespace: ErasureStep = function* (slice, cursor) {
  const settings = yield* deleteSome(
    { table: 'settings', where: 'namespace = ?1', key: 'name' },
    slice.namespace,
  )
  if (settings.length > 0) yield* noteRevision()
  slice.count('settings', settings.length)
  if (settings.length > 0 || (yield* dropLeases(slice)) || (yield* dropAllSenders(slice))) return { next: {} }
  if ((yield* dropKeys(slice)) || (yield* dropRequests(slice)) || (yield* dropSpending(slice)))
    return { next: {} }
  if (yield* dropConsumers(slice)) return { next: {} }
  return cursor === null ? 'nothing' : 'done'
}

/** No key has anything left to read here. */
function* dropKeys({ namespace }: Slice): Steps<boolean> {
  const keys = yield* deleteSome({ table: 'api_keys', where: 'namespace = ?1', key: 'id' }, namespace)
  if (keys.length > 0) yield* noteRevision()
  return keys.length > 0
}

function* dropRequests({ namespace }: Slice): Steps<boolean> {
  const requests = yield* deleteSome({ table: 'requests', where: 'namespace = ?1', key: 'name' }, namespace)
  return requests.length > 0
}

function* dropConsumers({ namespace }: Slice): Steps<boolean> {
  const consumers = { table: 'event_consumers', where: 'namespace = ?1', key: 'name' }
  return (yield* deleteSome(consumers, namespace)).length > 0
}

/** The spending of sessions went with the sessions. */
function* dropSpending({ namespace }: Slice): Steps<boolean> {
  const ofAll = { table: 'spending', where: 'session_id = 0 AND namespace = ?1', key: 'model, window_start' }
  return (yield* deleteSome(ofAll, namespace)).length > 0
}

function* dropLeases({ namespace, exceed }: Slice): Steps<boolean> {
  const leases = yield* deleteSome<{ token: number }>(
    {
      table: 'leases',
      // The leases that mark erased names outlive the sessions, because handles do, too.
      where: 'namespace = ?1 AND (name < ?2 OR name >= ?3)',
      key: 'name',
      returning: 'token',
    },
    namespace,
    ERASED_NAMES.from,
    ERASED_NAMES.to,
  )
  for (const { token } of leases) exceed(token)
  return leases.length > 0
}
