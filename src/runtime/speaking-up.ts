const HOUR_MS = 3_600_000
const LEAST_KEPT = 1_000

/** How often the bot has spoken up unasked, in each session. */
export class SpeakingUp {
  readonly #perHour: number
  readonly #instants = new Map<string, readonly number[]>()
  #mostKept = LEAST_KEPT

  constructor(perHour: number) {
    this.#perHour = perHour
  }

  isAllowed(sessionId: string, now: number): boolean {
    return this.#recent(sessionId, now).length < this.#perHour
  }

  /** `false`: not now. */
  take(sessionId: string, now: number): boolean {
    const recent = this.#recent(sessionId, now)
    if (recent.length >= this.#perHour) return false
    this.#instants.set(sessionId, [...recent, now])
    if (this.#instants.size > this.#mostKept) this.#forgetOld(now)
    return true
  }

  /** Those that have not spoken up for an hour need not be remembered. */
  #forgetOld(now: number): void {
    for (const sessionId of [...this.#instants.keys()]) this.#recent(sessionId, now)
    this.#mostKept = Math.max(LEAST_KEPT, 2 * this.#instants.size)
  }

  #recent(sessionId: string, now: number): readonly number[] {
    const recent = (this.#instants.get(sessionId) ?? []).filter(instant => now - instant < HOUR_MS)
    if (recent.length === 0) this.#instants.delete(sessionId)
    return recent
  }
}
