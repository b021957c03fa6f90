import type { Store } from '../../store/index.ts'

export interface WorkspaceLeaseOptions {
  readonly store: Store
  readonly namespace: string
  readonly owner: string
  readonly clock: () => number
}

const NAME = 'workspace'
const TTL_MS = 30_000
const RENEW_MS = 10_000

/** The right to write a namespace's files. Only one process has it at a time. */
export class WorkspaceLease {
  readonly #options: WorkspaceLeaseOptions
  #token: number | null = null
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(options: WorkspaceLeaseOptions) {
    this.#options = options
  }

  /**
   * Renews the lease or tries to take it. `in time` asks the store only from time to time, `now` asks at
   * once. `new`: this process did not have the lease before, so the files may have changed in any way.
   */
  async hold(urgency: 'now' | 'in time'): Promise<'new' | 'held' | 'of another'> {
    const { store, namespace, owner, clock } = this.#options
    const now = clock()
    if (urgency === 'in time' && Math.abs(now - this.#triedAt) < RENEW_MS)
      return this.#token === null ? 'of another' : 'held'
    const before = this.#token
    const lease = await store.leases.takeLease(namespace, { name: NAME, owner, ttlMs: TTL_MS, now })
    this.#triedAt = now
    this.#token = lease?.token ?? null
    if (this.#token === null) return 'of another'
    return this.#token === before ? 'held' : 'new'
  }

  async drop(): Promise<void> {
    if (this.#token === null) return
    const { store, namespace } = this.#options
    await store.leases.dropLease(namespace, { name: NAME, token: this.#token })
    this.#token = null
    this.#triedAt = Number.NEGATIVE_INFINITY
  }
}
