import type { Store } from './store.ts'
import { storeWith } from './store-with.ts'

/** A store that several users share, and that none of them may close. It is open already. */
export function lentStore(store: Store): Store {
  return storeWith(store, { open: async () => {}, close: async () => {} })
}
