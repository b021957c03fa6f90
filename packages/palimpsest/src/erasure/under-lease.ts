import type { Store } from '../store/index.ts'

export interface LeaseEngine {
  readonly store: Pick<Store, 'leases'>
  readonly namespace: string
  readonly owner: string
  readonly clock: () => number
}

/** After a process that died somebody else goes on after this. */
export const LEASE_MS = 60_000
const RENEW_MS = 20_000

/** Of all processes one does it at a time. `taken`: another one is at it. */
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
