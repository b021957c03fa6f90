import type { ErasureStore } from '../../store.ts'
import type { Calls } from '../calls.ts'
import { loadErasure } from '../load-erasure.ts'

export function sqlErasureStore(calls: Calls): ErasureStore {
  return {
    beginErasure: async (namespace, request) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.beginErasure(namespace, request))
    },
    continueErasure: async (namespace, request) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.continueErasure(namespace, request, calls.rules))
    },
    advanceErasure: async (namespace, request) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.advanceErasure(namespace, request))
    },
    readErasure: (namespace, id) => calls.read(({ sql }) => sql.readErasure(namespace, id)),
    listOpenErasures: namespace => calls.read(({ sql }) => sql.listOpenErasures(namespace)),
    scrub: onScrub => calls.while(() => calls.driver.scrub(onScrub)),
    readScrub: (namespace, id) =>
      calls.while(async () => (await calls.driver.readScrub?.({ namespace, id })) ?? { isGone: false }),
  }
}
