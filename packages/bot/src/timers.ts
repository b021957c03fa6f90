/** How the runtime measures time. The clock of `palimpsest/testing` fits. */
export interface Timers {
  /** Milliseconds since any fixed moment. It should be monotonic: a machine's clock may be set back. */
  now(): number
  setTimeout(callback: () => unknown, ms: number): unknown
  // biome-ignore lint/suspicious/noExplicitAny: it takes what `setTimeout` returned.
  clearTimeout(timer: any): void
}

export const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: timer => clearTimeout(timer),
}
