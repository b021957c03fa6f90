import type { Policy } from '../policy/index.ts'
import type { FoldStore, Lease, SessionKey } from '../store/index.ts'

type Leasing = Pick<FoldStore, 'acquireLease' | 'renewLease' | 'releaseLease'>

interface LeaseTerms {
  readonly owner: string
  readonly ttlMs: number
  readonly clock: () => number
  /** The policy that judges what has to be done. */
  readonly policy: Policy | undefined
  /** Whether the policy holds for this fold only. */
  readonly once: boolean
}

/** A lease is renewed after this share of its time. */
const RENEW_SHARE = 1 / 3

/** A session's lease, renewed until it is released. */
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

  /** `null`: another owner holds it. */
  static async take(folds: Leasing, key: SessionKey, terms: LeaseTerms): Promise<HeldLease | null> {
    const { owner, ttlMs, clock, policy, once } = terms
    const judging = policy && { policy, once }
    const given = await folds.acquireLease(key, { owner, ttlMs, now: clock(), ...judging })
    return given && new HeldLease(folds, key, given, terms)
  }

  /** The commit has released the lease in the store. */
  noteCommitted(): void {
    this.#isHeld = false
  }

  async release(): Promise<void> {
    clearInterval(this.#keepAlive)
    if (this.#isHeld) await this.#folds.releaseLease(this.#key, this.given.token).catch(() => {})
    this.#isHeld = false
  }
}
