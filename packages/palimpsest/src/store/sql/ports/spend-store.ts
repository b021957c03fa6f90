import type { SpendStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlSpendStore(calls: Calls): SpendStore {
  return {
    findSpendLimit: (key, request) => calls.read(({ sql }) => sql.spending.findSpendLimit(key, request)),
    readSpending: (namespace, request) =>
      calls.read(({ sql }) => sql.spending.readSpending(namespace, request)),
    reserveCall: (key, request) =>
      calls.write(({ sql }) => sql.spending.reserveCall(key, request, calls.dialect)),
    settleCall: (namespace, reserved, took) =>
      calls.write(({ sql }) => sql.spending.settleCall(namespace, reserved, took)),
  }
}
