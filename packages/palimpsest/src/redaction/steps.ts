import { type InSteps, nextTurn, runInSlices as runOnInSlices } from '../slices.ts'

/**
 * Work that can pause and go on: it yields at least once in every few thousand characters. So the same code
 * handles a short text at once and a long one in slices. Between the slices other requests have their turn.
 */
export type Steps<Result> = InSteps<Result>

/** A text up to this length is handled in one go. */
export const MAX_AT_ONCE = 8_192

/** The characters that are read between two yields. */
export const STEP = 8_192

/** The longest that the event loop waits for one slice, plus or minus one step. */
const SLICE_MS = 10

/** Work that ends within the first slice is returned at once. Nearly all work does. */
export function runInSlices<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const { done, value } = runSlice(steps)
  return done ? value : runOn(steps)
}

async function runOn<Result>(steps: Steps<Result>): Promise<Result> {
  await nextTurn()
  return runOnInSlices(steps)
}

function runSlice<Result>(steps: Steps<Result>): IteratorResult<void, Result> {
  const started = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done || performance.now() - started >= SLICE_MS) return step
  }
}
