import type { Store } from './store.ts'

/** A store that several have, and that none of them may close. It is open already. */
export function lentStore(store: Store): Store {
  const kept: Partial<Store> = { open: async () => {}, close: async () => {} }
  return new Proxy(store, {
    get: (_, name) => {
      const value = kept[name as keyof Store] ?? store[name as keyof Store]
      return typeof value === 'function' ? value.bind(store) : value
    },
  })
}
