import type { KeyStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlKeyStore(calls: Calls): KeyStore {
  return {
    addKey: key => calls.write(({ sql }) => sql.apiKeys.addKey(key)),
    readKey: id => calls.read(({ sql }) => sql.apiKeys.readKey(id)),
    listKeys: () => calls.read(({ sql }) => sql.apiKeys.listKeys()),
    removeKey: id => calls.write(({ sql }) => sql.apiKeys.removeKey(id)),
  }
}
