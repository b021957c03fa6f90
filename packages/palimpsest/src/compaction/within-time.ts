import { untilAborted } from './until-aborted.ts'

/** As far as a timer of Node's reaches: a longer one would go off at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface TimeLimit {
  readonly timeoutMs: number
  /** The caller waits no longer. */
  readonly signal?: AbortSignal | undefined
  /** What the caller is told when the time is over. Left out: a `TimeoutError`, as of `AbortSignal.timeout`. */
  readonly lateError?: () => unknown
}

/**
 * What the work comes to, or an error when its time is over or the caller's signal is aborted; the work is given a
 * signal of both. The timer keeps the process alive: that of `AbortSignal.timeout` does not, so a script that waits
 * for nothing else would end before it is answered.
 */
export async function withinTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, signal: given, lateError = timeoutError }: TimeLimit,
): Promise<Result> {
  given?.throwIfAborted()
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(lateError()), Math.min(timeoutMs, MAX_TIMER_MS))
  const signal = given ? AbortSignal.any([given, over.signal]) : over.signal
  try {
    return await untilAborted(work(signal), signal)
  } finally {
    clearTimeout(timer)
  }
}

function timeoutError(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError')
}
