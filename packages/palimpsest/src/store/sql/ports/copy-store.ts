import type { CopyStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

/** Loaded late, because few programs copy to another store. */
const loadCopying = () => import('../copying.ts')

export function sqlCopyStore(calls: Calls): CopyStore {
  return {
    listNamespaces: async page => {
      const copying = await loadCopying()
      return calls.read(() => copying.listNamespaces(page))
    },
    readCopyState: async key => {
      const copying = await loadCopying()
      return calls.read(() => copying.readCopyState(key))
    },
    readCopyPage: async (key, place) => {
      const copying = await loadCopying()
      return calls.read(() => copying.readCopyPage(key, place))
    },
    importCopy: async (key, copy) => {
      const copying = await loadCopying()
      return calls.while(() => copying.importCopy(calls.driver, key, copy))
    },
    noteVerified: async (key, hash) => {
      const copying = await loadCopying()
      return calls.writeOr(key, undefined, session => copying.noteVerified(session, hash))
    },
    readDocumentCopy: async key => {
      const copying = await loadCopying()
      return calls.read(() => copying.readDocumentCopy(key))
    },
    importDocumentCopy: async (key, copy) => {
      const copying = await loadCopying()
      return calls.write(() => copying.importDocumentCopy(key, copy, calls.dialect))
    },
  }
}
