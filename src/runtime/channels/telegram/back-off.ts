import type { Timers } from '../../timers.ts'

const FIRST_MS = 500
const LONGEST_MS = 30_000

/** How long to wait after so many failures in a row: twice as long each time, up to half a minute. */
export function backOffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
}

/** Resolves after so long, or at once when it is stopped. */
export function pause(
  ms: number,
  { timers, signal }: { timers: Timers; signal: AbortSignal },
): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      timers.clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = timers.setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
