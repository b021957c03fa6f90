import type { Ports, Store } from './store.ts'

const PORTS: Readonly<Record<keyof Ports, true>> = {
  log: true,
  pins: true,
  beginnings: true,
  sessions: true,
  folds: true,
  schedule: true,
  jobs: true,
  inbox: true,
  context: true,
  documents: true,
  extraction: true,
  rebuilds: true,
  mirror: true,
  search: true,
  erasure: true,
  erasureList: true,
  transfer: true,
  copies: true,
  settings: true,
  keys: true,
  requests: true,
  spending: true,
  events: true,
  leases: true,
  database: true,
}

export const PORT_NAMES = Object.keys(PORTS) as readonly (keyof Ports)[]

/** The same store with some ports, or the ways to open and close it, replaced. */
export function storeWith(store: Store, changes: Partial<Store>): Store {
  const ports = Object.fromEntries(PORT_NAMES.map(name => [name, store[name]])) as unknown as Ports
  return {
    name: store.name,
    get erasedList() {
      return store.erasedList ?? null
    },
    open: () => store.open(),
    close: () => store.close(),
    ...ports,
    ...changes,
  }
}
