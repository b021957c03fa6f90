import type { Store } from '../packages/palimpsest/src/store/index.ts'

/** Of several instances none may close it. */
export function keptOpen(store: Store): Store {
  return new Proxy(store, {
    get: (_, name) => {
      if (name === 'close') return async () => {}
      const value = store[name as keyof Store]
      return typeof value === 'function' ? value.bind(store) : value
    },
  })
}
