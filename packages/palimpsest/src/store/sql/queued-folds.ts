import { lastBelieved } from '../../log/index.ts'
import { MAX_DUE_MS, type Policy } from '../../policy/index.ts'
import type { Warn } from '../store.ts'
import { dueRows } from './due.ts'
import { judgeAgain } from './judge.ts'
import type { SessionRow } from './rows.ts'
import {
  all,
  completeJob,
  enqueueFold,
  type FoldJob,
  first,
  type JobClaim,
  run,
  type Steps,
} from './steps.ts'

/**
 * Makes jobs of sessions whose time has come, at most `limit`, and returns how many there were. A session
 * with its job is no longer due. The worker that carries out the job sets the next time. Each session is
 * judged once.
 */
export function* enqueueDue({ now, limit }: { now: number; limit: number }): Steps<number> {
  if (limit === 0) return 0
  let found = 0
  for (const namespace of yield* namespacesWith('due_at IS NOT NULL')) {
    const rows = yield* dueRows(namespace, 'due_at', { now, limit: limit - found })
    for (const { id, name } of rows) {
      yield* run(
        'UPDATE sessions SET due_at = NULL WHERE id = ?1 AND (due_at <= ?2 OR due_at > ?3)',
        id,
        now,
        lastBelieved(now, MAX_DUE_MS),
      )
      yield* enqueueFold({ namespace, id: name })
    }
    found += rows.length
    if (found >= limit) break
  }
  yield* enqueueRebuilds({ now, limit })
  return found
}

/**
 * Sessions stay due until they are done, or until a failure puts them off. A session that has a job already
 * keeps that job.
 */
function* enqueueRebuilds({ now, limit }: { now: number; limit: number }): Steps<void> {
  for (const namespace of yield* namespacesWith('rebuild_at IS NOT NULL'))
    for (const { name } of yield* dueRows(namespace, 'rebuild_at', { now, limit }))
      yield* enqueueFold({ namespace, id: name })
}

/**
 * Makes jobs of sessions that wait for a fold, in case a job was lost. A session that has a job gets no
 * other. Takes `limit` sessions after the last page. `null`: there are no more.
 */
export function* enqueuePending({
  after,
  limit,
}: {
  after: FoldJob | null
  limit: number
}): Steps<FoldJob | null> {
  if (limit === 0) return null
  const namespaces = yield* namespacesWith('pending IS NOT NULL', after?.namespace)
  for (const namespace of namespaces) {
    const rows = yield* all<{ name: string; name_key: string }>(
      `SELECT name, name_key FROM sessions
       WHERE namespace = ?1 AND name_key > ?2 AND pending IS NOT NULL AND ready = 1 ORDER BY name_key LIMIT ?3`,
      namespace,
      after?.namespace === namespace ? after.id : '',
      limit,
    )
    for (const { name } of rows) yield* enqueueFold({ namespace, id: name })
    const last = rows.at(-1)
    if (rows.length === limit) return { namespace, id: last!.name_key }
    // The next namespace has its own page.
    if (last !== undefined && namespace !== namespaces.at(-1)) return { namespace, id: last.name_key }
  }
  return null
}

/**
 * Ends a job if nothing is left to do, which is checked in the same transaction. A trigger before it is seen
 * here. A trigger after it finds no job and makes one. `false`: the job goes on.
 */
export function* endFoldJob(
  session: SessionRow,
  { claim, ...request }: { claim: JobClaim; policy: Policy; now: number },
  warn: Warn,
): Steps<boolean> {
  const { decision } = yield* judgeAgain(session, request, warn)
  if (decision !== null) return false
  yield* completeJob(claim, { namespace: session.namespace, id: session.name })
  return true
}

/**
 * The namespaces from the given one on. It goes from one to the next along the index, so it costs as many
 * steps as there are namespaces. Only the database knows its order of names.
 */
function* namespacesWith(
  condition: 'due_at IS NOT NULL' | 'pending IS NOT NULL' | 'rebuild_at IS NOT NULL',
  from = '',
): Steps<readonly string[]> {
  const namespaces: string[] = []
  for (let isAfter = '>='; ; isAfter = '>') {
    const row = yield* first<{ namespace: string }>(
      `SELECT namespace FROM sessions WHERE namespace ${isAfter} ?1 AND ${condition} AND ready = 1
       ORDER BY namespace LIMIT 1`,
      namespaces.at(-1) ?? from,
    )
    if (row === undefined) return namespaces
    namespaces.push(row.namespace)
  }
}
