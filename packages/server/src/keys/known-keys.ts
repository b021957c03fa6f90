import { BoundedMap } from 'palimpsest/internals/bounded-map'
import type { ApiKey, KeyStore } from 'palimpsest/internals/store/index'

/** More keys than a process usually sees. A key that falls out is read again. */
const MAX_KEYS = 10_000

/** The keys that were read since the store has had this revision. */
interface Read {
  readonly revision: number
  readonly keys: BoundedMap<string, Promise<ApiKey | null>>
  hasKeys: Promise<boolean> | null
}

/**
 * The keys of the store, kept in memory as long as the store's revision stays the same. Each
 * call names its own revision. So a revoked key is refused at the first call after its
 * revocation, whichever process revoked it.
 */
export class KnownKeys {
  readonly #store: Pick<KeyStore, 'readKey' | 'listKeys'>
  #read: Read = { revision: -1, keys: new BoundedMap(MAX_KEYS), hasKeys: null }

  constructor(store: Pick<KeyStore, 'readKey' | 'listKeys'>) {
    this.#store = store
  }

  async find(id: string, revision: number): Promise<ApiKey | null> {
    const { keys } = this.#since(revision)
    const known = keys.get(id)
    if (known) return known
    const reading = this.#store.readKey(id)
    keys.set(id, reading)
    // A guessed id and a failed read leave nothing in the map.
    const forget = () => keys.delete(id)
    reading.then(key => key ?? forget(), forget)
    return reading
  }

  /** Whether the store has any key at all. */
  async hasKeys(revision: number): Promise<boolean> {
    const read = this.#since(revision)
    read.hasKeys ??= this.#store.listKeys().then(
      ({ length }) => length > 0,
      error => {
        read.hasKeys = null
        throw error
      },
    )
    return read.hasKeys
  }

  /** The keys in memory are never older than their revision, since they were read after it. */
  #since(revision: number): Read {
    if (revision > this.#read.revision)
      this.#read = { revision, keys: new BoundedMap(MAX_KEYS), hasKeys: null }
    return this.#read
  }
}
