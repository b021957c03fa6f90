import type { TransferStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlTransferStore(calls: Calls): TransferStore {
  return {
    fork: (key, change) => calls.while(({ sql }) => sql.forkSession(calls.driver, key, change, calls.warn)),
    exportSession: key => calls.read(({ sql }) => sql.exportSession(key)),
    importSession: (key, file, options) =>
      calls.while(({ sql }) => sql.importSession(calls.driver, key, file, options)),
  }
}
