import { BoundedMap } from 'palimpsest/internals/bounded-map'
import type { ApiKey, KeyStore } from 'palimpsest/internals/store/index'

/** More than a process sees in a while; those that are left out are read again. */
const MAX_KEYS = 10_000

/** What was read since the store had this revision. */
interface Read {
  readonly revision: number
  readonly keys: BoundedMap<string, Promise<ApiKey | null>>
  hasKeys: Promise<boolean> | null
}

/**
 * The keys of the store, kept in memory for as long as its revision is the same. Whoever asks names the
 * revision of their call, so a key is refused with the first call after it was revoked, by whichever process.
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
    // Whoever guesses ids, or finds the store closed, leaves nothing behind.
    const forget = () => keys.delete(id)
    reading.then(key => key ?? forget(), forget)
    return reading
  }

  /** Whether there is one at all. */
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

  /** What is kept was read after its revision, so it is never older than that. */
  #since(revision: number): Read {
    if (revision > this.#read.revision)
      this.#read = { revision, keys: new BoundedMap(MAX_KEYS), hasKeys: null }
    return this.#read
  }
}
