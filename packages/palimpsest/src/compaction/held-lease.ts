import type { Policy } from '../policy/index.ts'
import type { Lease, SessionKey, Store } from '../store/index.ts'

type LeaseStore = Pick<Store, 'acquireLease' | 'renewLease' | 'releaseLease'>

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
  readonly #store: LeaseStore
  readonly #key: SessionKey
  readonly #keepAlive: NodeJS.Timeout
  #isHeld = true

  private constructor(store: LeaseStore, key: SessionKey, given: Lease, { ttlMs, clock }: LeaseTerms) {
    this.given = given
    this.#store = store
    this.#key = key
    this.#keepAlive = setInterval(() => {
      store.renewLease(key, { token: given.token, ttlMs, now: clock() }).catch(() => {})
    }, ttlMs * RENEW_SHARE)
  }

  /** `null`: somebody else holds it. */
  static async take(store: LeaseStore, key: SessionKey, terms: LeaseTerms): Promise<HeldLease | null> {
    const { owner, ttlMs, clock, policy, once } = terms
    const judging = policy && { policy, once }
    const given = await store.acquireLease(key, { owner, ttlMs, now: clock(), ...judging })
    return given && new HeldLease(store, key, given, terms)
  }

  /** A commit lets go of it. */
  noteCommitted(): void {
    this.#isHeld = false
  }

  async release(): Promise<void> {
    clearInterval(this.#keepAlive)
    if (this.#isHeld) await this.#store.releaseLease(this.#key, this.given.token).catch(() => {})
    this.#isHeld = false
  }
}
