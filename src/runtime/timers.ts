/** What the runtime knows of time. The clock of `palimpsest/testing` is one. */
export interface Timers {
  now(): number
  setTimeout(callback: () => unknown, ms: number): unknown
  // biome-ignore lint/suspicious/noExplicitAny: what the one gave, the other takes.
  clearTimeout(timer: any): void
}

export const SYSTEM_TIMERS: Timers = {
  now: Date.now,
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: timer => clearTimeout(timer),
}
