/**
 * Stored instants, such as the end of a lease or of a back-off, were written by the clock of some process.
 * Clocks are wrong at times, and by much. So an instant that something waits for is believed only up to now
 * plus the longest such wait. A later one comes from a wrong clock and counts as past.
 */

/**
 * The clocks of processes that share a store may differ by this much, for example if one takes local time for
 * UTC. A smaller difference is never taken for a wrong clock. Otherwise two processes would take each other's
 * leases without end.
 */
export const MAX_CLOCK_SKEW_MS = 24 * 3_600_000

/** The last instant that is believed, for waits of at most `longestMs`. */
export function lastBelieved(now: number, longestMs: number): number {
  return now + longestMs + MAX_CLOCK_SKEW_MS
}

/** Whether an instant that something waits for is still in the future. */
export function isToCome(instant: number, { now, longestMs }: { now: number; longestMs: number }): boolean {
  return instant > now && instant <= lastBelieved(now, longestMs)
}

/** Longer than any wait. */
const LONG_AGO_SECONDS = 100 * 365 * 86_400

/**
 * The seconds since an instant. An instant in the future counts as just now, as far as clocks may differ.
 * Beyond that it counts as long ago.
 */
export function secondsSince(instant: number, now: number): number {
  return instant > lastBelieved(now, 0) ? LONG_AGO_SECONDS : Math.max(0, now - instant) / 1000
}
