/** After this time a claim lapses: a turn that is never finished does not block a call for ever. */
const MAX_HELD_MS = 10 * 60_000

/**
 * The calls that turns of this process carry out. If two turns begin at once, only one of them runs a call.
 */
export class ApprovalClaims {
  readonly #since = new Map<string, number>()

  /** `false`: another turn has claimed it. */
  take(key: string): boolean {
    const since = this.#since.get(key)
    if (since !== undefined && performance.now() - since < MAX_HELD_MS) return false
    this.#since.set(key, performance.now())
    return true
  }

  release(key: string): void {
    this.#since.delete(key)
  }
}
