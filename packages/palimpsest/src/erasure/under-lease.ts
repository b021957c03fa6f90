import type { Store } from '../store/index.ts'

export interface LeaseEngine {
  readonly store: Pick<Store, 'leases'>
  readonly namespace: string
  readonly owner: string
  readonly clock: () => number
}

/** After this time, another process takes over from a process that died. */
export const LEASE_MS = 60_000
const RENEW_MS = 20_000

/** Runs work in one process at a time. `taken`: another process does it now. */
export async function underLease<Result>(
  { store, namespace, owner, clock }: LeaseEngine,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | 'taken'> {
  const take = () => store.leases.takeLease(namespace, { name, owner, ttlMs: LEASE_MS, now: clock() })
  const lease = await take()
  if (lease === null) return 'taken'
  const renewal = setInterval(() => take().catch(() => {}), RENEW_MS)
  renewal.unref()
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await store.leases.dropLease(namespace, { name, token: lease.token }).catch(() => {})
  }
}
