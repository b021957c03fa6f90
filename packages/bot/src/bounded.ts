import type { Timers } from './timers.ts'

/**
 * Settles as `work` does, or rejects with the reason of the signal, whichever is first. Some work ignores
 * signals.
 */
export function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

const TOO_LATE = Symbol('too late')

/** `null`: the work took longer. */
export async function within<Result>(
  ms: number,
  work: Promise<Result>,
  timers: Timers,
): Promise<Result | null> {
  const { promise: late, resolve } = Promise.withResolvers<typeof TOO_LATE>()
  const timer = timers.setTimeout(() => resolve(TOO_LATE), ms)
  try {
    const first = await Promise.race([work, late])
    return first === TOO_LATE ? null : first
  } finally {
    timers.clearTimeout(timer)
    // The work may still fail when its result is no longer awaited.
    work.catch(() => {})
  }
}

/** `false`: the signal came first. */
export function pause(ms: number, signal: AbortSignal, timers: Timers): Promise<boolean> {
  return new Promise(resolve => {
    const end = (isOver: boolean) => {
      timers.clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(isOver)
    }
    const stop = () => end(false)
    const timer = timers.setTimeout(() => end(true), ms)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
