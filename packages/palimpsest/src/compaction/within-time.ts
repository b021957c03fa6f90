import { untilAborted } from './until-aborted.ts'

/** The longest timer that Node supports. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface TimeLimit {
  readonly timeoutMs: number
  /** When aborted, the caller no longer waits. */
  readonly signal?: AbortSignal | undefined
  /**
   * The error for the caller when the time is over. Left out: a `TimeoutError`, like that of
   * `AbortSignal.timeout`.
   */
  readonly lateError?: () => unknown
}

/**
 * The result of the work. It throws when the time is over or the caller's signal is aborted, and the work
 * gets a signal for both. The timer keeps the process alive, unlike that of `AbortSignal.timeout`. With that
 * one, a script that waits for nothing else would end before it gets an answer.
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
