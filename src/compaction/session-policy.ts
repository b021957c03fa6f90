import { type Policy, policyFor } from '../policy/index.ts'
import type { SessionKey, Store } from '../store/index.ts'

/** The policy as a session's own settings have it. */
export async function sessionPolicy(
  store: Pick<Store, 'readSession'>,
  key: SessionKey,
  policy: Policy,
): Promise<Policy> {
  if (policy.forSession === undefined) return policy
  const record = await store.readSession(key)
  return policyFor(record?.settings ?? {}, policy)
}
