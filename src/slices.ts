/** Work that pauses of its own accord: each `yield` ends a step of a fraction of a millisecond, or a few. */
export type InSteps<Result> = Generator<void, Result, void>

/** What is no longer is worked on in one go: it takes a few milliseconds. */
export const MAX_AT_ONCE = 65_536

/** How long a slice may hold the event loop, give or take a step. */
const SLICE_MS = 5

/**
 * Works in slices, between which everything else has its turn. However much is worked on at the same time, the event
 * loop turns after each slice: they wait for one another, and nothing else waits for all of them.
 */
export async function runInSlices<Result>(work: InSteps<Result>): Promise<Result> {
  let begun = performance.now()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() - begun < SLICE_MS) continue
    await nextTurn()
    begun = performance.now()
  }
}

export function runAtOnce<Result>(work: InSteps<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

let lastTurn: Promise<void> = Promise.resolve()

/** A turn of the event loop that no other slice has. */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise(resolve => setImmediate(resolve)))
  return lastTurn
}
