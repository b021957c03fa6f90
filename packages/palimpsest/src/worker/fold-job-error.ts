import { knownFailure } from '../compaction/failure-reason.ts'
import { PalimpsestError } from '../errors.ts'
import { FOLD_JOB_ERROR } from '../store/postgres/forget-jobs.ts'

/**
 * Why a job failed, as the queue stores it beside the job: a code and words of ours, whatever a summariser of the
 * caller's threw. Of which kind it was is the session's last outcome.
 */
export class FoldJobError extends Error {
  override readonly name = FOLD_JOB_ERROR
  // The queue would store it.
  override readonly stack = ''
}

export function foldFailed(reason: string): FoldJobError {
  const code = knownFailure(reason) ?? 'its kind is in the last outcome of the session'
  return new FoldJobError(`the last fold failed: ${code}`)
}

export function jobFailed(error: unknown): FoldJobError {
  if (error instanceof FoldJobError) return error
  const code = PalimpsestError.isInstance(error) ? error.code : 'unexpected'
  return new FoldJobError(`the job failed: ${code}; the log of the worker says more`)
}
