import type { LeaseStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlLeaseStore(calls: Calls): LeaseStore {
  return {
    takeLease: (namespace, request) => calls.write(({ sql }) => sql.takeLease(namespace, request)),
    dropLease: (namespace, request) => calls.write(({ sql }) => sql.dropLease(namespace, request)),
  }
}
