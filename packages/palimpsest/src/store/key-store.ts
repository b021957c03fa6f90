import type { ApiKey } from './api-key.ts'

/** The keys of a server. */
export interface KeyStore {
  /** Fails with a `KeyExistsError` if the namespace has a key of this name. */
  addKey(key: ApiKey): Promise<void>
  /** `null`: there is no such key, or it was removed. */
  readKey(id: string): Promise<ApiKey | null>
  /** The keys of all namespaces, in the order of namespace and name. */
  listKeys(): Promise<readonly ApiKey[]>
  /** `false`: there was no such key. */
  removeKey(id: string): Promise<boolean>
}
