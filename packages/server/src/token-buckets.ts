const MINUTE = 60_000
const MIN_BURST = 10
const MAX_BUCKETS = 10_000

/** How many calls a caller may make at once after a pause. */
export function burstOf(perMinute: number): number {
  return Math.max(MIN_BURST, perMinute / 6)
}

/**
 * A bucket for each caller: it fills steadily, and every call takes one token out. A bucket is stored as the
 * time at which it will be full again, so a full bucket need not be stored.
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
   * Takes `calls` tokens. 0: they were taken. Otherwise nothing was taken, and the result is the milliseconds
   * until there are enough. There are never more than a burst at once.
   */
  take(caller: string, perMinute: number, now: number, calls = 1): number {
    const { wait, fullAt } = this.#look(caller, perMinute, now, calls)
    if (wait > 0) return wait
    this.#fullAt.delete(caller)
    this.#fullAt.set(caller, fullAt)
    this.#forget(now)
    return 0
  }

  /** The milliseconds until there are enough tokens. Takes nothing. */
  waitFor(caller: string, perMinute: number, now: number, calls: number): number {
    return this.#look(caller, perMinute, now, calls).wait
  }

  #look(caller: string, perMinute: number, now: number, calls: number) {
    const each = MINUTE / perMinute
    const room = burstOf(perMinute) * each
    // A bucket is never emptier than empty, even if it was filled under another limit.
    const fullAt = Math.min(Math.max(this.#fullAt.get(caller) ?? now, now), now + room) + each * calls
    const wait = fullAt - now - room
    // Sums of fractions are wrong by less than a microsecond.
    return { wait: wait > 0.001 ? wait : 0, fullAt }
  }

  /**
   * Forgets full buckets. If there are still too many, it also forgets those of the
   * callers whose last call is the oldest.
   */
  #forget(now: number): void {
    for (const [caller, fullAt] of this.#fullAt) {
      if (fullAt > now && this.#fullAt.size <= this.#most) return
      this.#fullAt.delete(caller)
    }
  }
}
