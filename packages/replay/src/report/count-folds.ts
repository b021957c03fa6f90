import type { Run } from '../comparison.ts'

/** Decisions that found everything in the tail moved nothing, and are no folds to a reader. */
export function countFolds(run: Run): number {
  return run.folds.filter(fold => fold.fromSeq !== null).length
}
