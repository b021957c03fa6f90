import type { Store } from '../packages/palimpsest/src/store/index.ts'
import { storeWith } from '../packages/palimpsest/src/store/store-with.ts'

/** Of several instances none may close it. */
export function keptOpen(store: Store): Store {
  return storeWith(store, { close: async () => {} })
}
