import type { ErasureListStore } from '../../store.ts'
import type { Calls } from '../calls.ts'
import { loadErasure } from '../load-erasure.ts'

export function sqlErasureListStore(calls: Calls): ErasureListStore {
  return {
    nameErasure: async (namespace, request) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.nameErasure(namespace, request))
    },
    readErasureListIds: () => calls.read(({ sql }) => sql.readErasureListIds()),
    readFamily: async (namespace, messages) => {
      const erasure = await loadErasure()
      return calls.read(() => erasure.readFamily(namespace, messages))
    },
    listErasable: async from => {
      const erasure = await loadErasure()
      return calls.read(() => erasure.listErasable(from))
    },
    repeatErasure: async request => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.repeatErasure(request))
    },
    noteErasedDocuments: async (namespace, documents) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.noteErasedDocuments(namespace, documents))
    },
    trustFiles: async (namespace, documents) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.trustFiles(namespace, documents))
    },
  }
}
