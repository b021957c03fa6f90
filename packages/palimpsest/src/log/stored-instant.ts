/**
 * What is stored for later, such as a lease or a back-off, was written by the clock of some process. Clocks are wrong at
 * times, and by much: so an instant that something waits for is believed up to now plus how long such a wait can last.
 * One beyond that comes from a wrong clock, and is over.
 */

/**
 * By so much the clocks of processes may differ that share a store, such as one that takes local time for UTC: none is
 * taken for wrong for less. If it were, two processes would take each other's leases without end.
 */
export const MAX_CLOCK_SKEW_MS = 24 * 3_600_000

/** The last instant that is believed, of waits that last `longestMs` at most. */
export function lastBelieved(now: number, longestMs: number): number {
  return now + longestMs + MAX_CLOCK_SKEW_MS
}

/** Whether an instant that something waits for is still to come. */
export function isToCome(instant: number, { now, longestMs }: { now: number; longestMs: number }): boolean {
  return instant > now && instant <= lastBelieved(now, longestMs)
}

/** Longer than anything waits for. */
const LONG_AGO_SECONDS = 100 * 365 * 86_400

/** One that has not come yet was just now, as far as clocks may differ; beyond that it is long over. */
export function secondsSince(instant: number, now: number): number {
  return instant > lastBelieved(now, 0) ? LONG_AGO_SECONDS : Math.max(0, now - instant) / 1000
}
