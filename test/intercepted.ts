import type { Ports, Store } from '../packages/palimpsest/src/store/index.ts'
import { PORT_NAMES, storeWith } from '../packages/palimpsest/src/store/store-with.ts'

export type StoreCall = (...given: never[]) => Promise<unknown>

/** The name of any method of a store. */
export type StoreMethod = { [Port in keyof Ports]: keyof Ports[Port] }[keyof Ports] | 'open' | 'close'

/** The store, with each of its methods, `open` and `close` among them, as `around` makes it. */
export function intercepted(store: Store, around: (name: StoreMethod, call: StoreCall) => StoreCall): Store {
  const wrapped = (target: object) =>
    Object.fromEntries(
      Object.keys(target).map(name => {
        const call: StoreCall = (...given) => Reflect.get(target, name)(...given)
        return [name, around(name as StoreMethod, call)]
      }),
    )
  const ports = Object.fromEntries(PORT_NAMES.map(name => [name, wrapped(store[name])]))
  const open = () => store.open()
  const close = () => store.close()
  return storeWith(store, { ...ports, ...wrapped({ open, close }) })
}
