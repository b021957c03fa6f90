import type { Run } from '../comparison.ts'

/** A decision that found everything in the tail moved nothing. For a reader it is no fold. */
export function countFolds(run: Run): number {
  return run.folds.filter(fold => fold.fromSeq !== null).length
}
