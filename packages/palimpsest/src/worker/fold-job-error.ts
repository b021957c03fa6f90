import { knownFailure } from '../compaction/failure-reason.ts'
import { PalimpsestError } from '../errors.ts'
import { FOLD_JOB_ERROR } from '../store/postgres/forget-jobs.ts'

/**
 * Why a job failed, as the queue stores it beside the job: a code and our own words, whatever the caller's
 * summariser threw. The session's last outcome tells the kind of failure.
 */
export class FoldJobError extends Error {
  override readonly name = FOLD_JOB_ERROR
  // The queue would store the stack.
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
