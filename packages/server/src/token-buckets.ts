const MINUTE = 60_000
const MIN_BURST = 10
const MAX_BUCKETS = 10_000

/** So many at once, after a pause. */
export function burstOf(perMinute: number): number {
  return Math.max(MIN_BURST, perMinute / 6)
}

/**
 * A bucket for each caller: it fills steadily, and every call takes one out. It is kept as the instant at which it will
 * be full again, so one that is full need not be kept.
 */
export class TokenBuckets {
  readonly #most: number
  /** In the order of their last use. */
  readonly #fullAt = new Map<string, number>()

  constructor(most = MAX_BUCKETS) {
    this.#most = most
  }

  get size(): number {
    return this.#fullAt.size
  }

  /**
   * 0: taken. Otherwise nothing was, and there will be enough in so many milliseconds. More than a burst at once there
   * never are.
   */
  take(caller: string, perMinute: number, now: number, calls = 1): number {
    const { wait, fullAt } = this.#look(caller, perMinute, now, calls)
    if (wait > 0) return wait
    this.#fullAt.delete(caller)
    this.#fullAt.set(caller, fullAt)
    this.#forget(now)
    return 0
  }

  /** In how many milliseconds there will be enough. Nothing is taken. */
  waitFor(caller: string, perMinute: number, now: number, calls: number): number {
    return this.#look(caller, perMinute, now, calls).wait
  }

  #look(caller: string, perMinute: number, now: number, calls: number) {
    const each = MINUTE / perMinute
    const room = burstOf(perMinute) * each
    // Not emptier than empty, should the limit have been another one.
    const fullAt = Math.min(Math.max(this.#fullAt.get(caller) ?? now, now), now + room) + each * calls
    const wait = fullAt - now - room
    // Less than a microsecond is how far sums of fractions go astray.
    return { wait: wait > 0.001 ? wait : 0, fullAt }
  }

  /** Those that are full; above the most, also whoever has called the longest ago. */
  #forget(now: number): void {
    for (const [caller, fullAt] of this.#fullAt) {
      if (fullAt > now && this.#fullAt.size <= this.#most) return
      this.#fullAt.delete(caller)
    }
  }
}
