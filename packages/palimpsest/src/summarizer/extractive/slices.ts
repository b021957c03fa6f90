import { nextTurn } from '../../slices.ts'

/** Half of the 5 ms that a fold may hold the event loop: a step may begin just before the slice is over. */
const SLICE_MILLISECONDS = 2.5

export interface SliceOptions {
  readonly signal?: AbortSignal | undefined
  readonly now?: () => number
  readonly pause?: () => Promise<unknown>
}

/**
 * Runs work that pauses by itself: each `yield` ends a step of a fraction of a millisecond. Whenever a slice
 * of time is used up, the event loop gets a turn. Rejects with the signal's reason when aborted.
 */
export async function runInSlices<Result>(
  work: Generator<void, Result, void>,
  { signal, now = () => performance.now(), pause = nextTurn }: SliceOptions = {},
): Promise<Result> {
  signal?.throwIfAborted()
  let begun = now()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (now() - begun < SLICE_MILLISECONDS) continue
    await pause()
    signal?.throwIfAborted()
    begun = now()
  }
}
