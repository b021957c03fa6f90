import { setTimeout as sleep } from 'node:timers/promises'
import { PalimpsestError } from '../errors.ts'
import type { FoldCommit, FoldReceipt, FoldStore } from '../store/index.ts'
import { failureReason } from './failure-reason.ts'
import { isConflict } from './outcome.ts'

/** Together about as long as a restart of a database takes. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000]
/** One try may take long by itself, and the session stays leased all the while. */
const MAX_MS = 15_000

/**
 * A summary costs money, so a failed commit must not lose it. The operation's id makes another try safe, even
 * if only the answer of the first one was lost. The first retry comes at once. More follow only while the
 * database is unavailable.
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
      // If the caller aborts the wait, the caller gets the error of the last try.
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
