import type { RequestStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlRequestStore(calls: Calls): RequestStore {
  return {
    beginRequest: (namespace, request) =>
      calls.write(({ sql }) => sql.requests.beginRequest(namespace, request, calls.dialect)),
    finishRequest: (namespace, request) =>
      calls.write(({ sql }) => sql.requests.finishRequest(namespace, request)),
    dropRequest: (namespace, request) =>
      calls.write(({ sql }) => sql.requests.dropRequest(namespace, request)),
  }
}
