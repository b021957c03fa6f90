import type { Policy } from '../policy/index.ts'
import type { FoldStore, Lease, SessionKey } from '../store/index.ts'

type Leasing = Pick<FoldStore, 'acquireLease' | 'renewLease' | 'releaseLease'>

interface LeaseTerms {
  readonly owner: string
  readonly ttlMs: number
  readonly clock: () => number
  /** By which it is judged what there is to do. */
  readonly policy: Policy | undefined
  /** The policy holds for this fold only. */
  readonly once: boolean
}

/** Of the time that a lease is given for, after which it is renewed. */
const RENEW_SHARE = 1 / 3

/** A session's lease, kept alive until it is let go of. */
export class HeldLease {
  readonly given: Lease
  readonly #folds: Leasing
  readonly #key: SessionKey
  readonly #keepAlive: NodeJS.Timeout
  #isHeld = true

  private constructor(folds: Leasing, key: SessionKey, given: Lease, { ttlMs, clock }: LeaseTerms) {
    this.given = given
    this.#folds = folds
    this.#key = key
    this.#keepAlive = setInterval(() => {
      folds.renewLease(key, { token: given.token, ttlMs, now: clock() }).catch(() => {})
    }, ttlMs * RENEW_SHARE)
  }

  /** `null`: somebody else holds it. */
  static async take(folds: Leasing, key: SessionKey, terms: LeaseTerms): Promise<HeldLease | null> {
    const { owner, ttlMs, clock, policy, once } = terms
    const judging = policy && { policy, once }
    const given = await folds.acquireLease(key, { owner, ttlMs, now: clock(), ...judging })
    return given && new HeldLease(folds, key, given, terms)
  }

  /** A commit lets go of it. */
  noteCommitted(): void {
    this.#isHeld = false
  }

  async release(): Promise<void> {
    clearInterval(this.#keepAlive)
    if (this.#isHeld) await this.#folds.releaseLease(this.#key, this.given.token).catch(() => {})
    this.#isHeld = false
  }
}
