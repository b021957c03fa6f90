import { setTimeout as sleep } from 'node:timers/promises'
import { PalimpsestError } from '../errors.ts'
import type { FoldCommit, FoldReceipt, FoldStore } from '../store/index.ts'
import { failureReason } from './failure-reason.ts'
import { isConflict } from './outcome.ts'

/** As long as a database takes to start again. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000]
/** Each try may take long by itself, and the lease goes on. */
const MAX_MS = 15_000

/**
 * A summary is dear: what it cost is not lost to a commit that failed. The operation's id makes another try safe, also
 * where only the answer was lost. One comes at once; where the database is away, some more.
 */
export async function commitPatiently(
  folds: Pick<FoldStore, 'commitFold'>,
  commit: FoldCommit,
  signal: AbortSignal | undefined,
): Promise<FoldReceipt> {
  const start = performance.now()
  for (const pauseMs of [0, ...PAUSES_MS])
    try {
      return await folds.commitFold(commit)
    } catch (error) {
      if (isConflict(failureReason(error)) || signal?.aborted) throw error
      if (pauseMs > 0 && (!isAway(error) || performance.now() - start > MAX_MS)) throw error
      // Whoever ends it is told why it had not ended.
      if (pauseMs > 0)
        await sleep(pauseMs, undefined, { ...(signal && { signal }) }).catch(() => {
          throw error
        })
    }
  return folds.commitFold(commit)
}

function isAway(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && error.code === 'store_unavailable'
}
