import type { Timers } from './timers.ts'

/** What it comes to, or what the signal says, whichever is first: not everybody heeds a signal. */
export function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** `null`: it took longer. */
export function within<Result>(ms: number, work: Promise<Result>, timers: Timers): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const timer = timers.setTimeout(() => resolve(null), ms)
    work.then(resolve, reject).finally(() => timers.clearTimeout(timer))
  })
}
