import type { ApiKey } from './api-key.ts'

/** The keys of a server. */
export interface KeyStore {
  /** A `KeyExistsError` where the namespace has one of this name. */
  addKey(key: ApiKey): Promise<void>
  /** `null`: there is none, or not any more. */
  readKey(id: string): Promise<ApiKey | null>
  /** Of all namespaces, in the order of namespace and name. */
  listKeys(): Promise<readonly ApiKey[]>
  /** `false`: there was none. */
  removeKey(id: string): Promise<boolean>
}
