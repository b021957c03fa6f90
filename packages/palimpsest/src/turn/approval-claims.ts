/** A turn that was never finished does not keep a call from being run for ever. */
const MAX_HELD_MS = 10 * 60_000

/** The calls that turns of this process carry out: where two turns begin at once, one of them runs a call. */
export class ApprovalClaims {
  readonly #since = new Map<string, number>()

  /** `false`: another turn has it. */
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
