/** What the runtime knows of time. The clock of `palimpsest/testing` is one. */
export interface Timers {
  /** In milliseconds, since whenever. The clocks of machines are set back; this one had better not be. */
  now(): number
  setTimeout(callback: () => unknown, ms: number): unknown
  // biome-ignore lint/suspicious/noExplicitAny: what the one gave, the other takes.
  clearTimeout(timer: any): void
}

export const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: timer => clearTimeout(timer),
}
