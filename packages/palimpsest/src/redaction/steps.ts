import { type InSteps, nextTurn, runInSlices as runOnInSlices } from '../slices.ts'

/**
 * Work that can be left off and taken up again: it yields at least once in every few thousand characters. So the
 * same code serves a short text at once, and a long one in slices between which other requests have their turn.
 */
export type Steps<Result> = InSteps<Result>

/** A text up to this length is worked on in one go. */
export const MAX_AT_ONCE = 8_192

/** Characters that are looked at between two yields. */
export const STEP = 8_192

/** So long at most has the event loop to wait for one slice, give or take a step. */
const SLICE_MS = 10

/** What is done within the first slice, as nearly all is, is given back at once. */
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
