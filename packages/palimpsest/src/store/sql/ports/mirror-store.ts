import type { MirrorStore } from '../../store.ts'
import type { Calls } from '../calls.ts'
import { loadErasure } from '../load-erasure.ts'

export function sqlMirrorStore(calls: Calls): MirrorStore {
  return {
    listUnmirrored: (namespace, page) => calls.read(({ sql }) => sql.mirror.listUnmirrored(namespace, page)),
    readMirrorStates: (namespace, documents) =>
      calls.read(({ sql }) => sql.mirror.readMirrorStates(namespace, documents)),
    readDay: (namespace, day) => calls.read(({ sql }) => sql.mirror.readDay(namespace, day)),
    noteMirrored: (namespace, states) => calls.write(({ sql }) => sql.mirror.noteMirrored(namespace, states)),
    setMirrorFolder: (namespace, folder) =>
      calls.write(({ sql }) => sql.mirror.setMirrorFolder(namespace, folder)),
    readMirrorFolder: namespace => calls.read(({ sql }) => sql.mirror.readMirrorFolder(namespace)),
    listErasedDocuments: async namespace => {
      const erasure = await loadErasure()
      return calls.read(() => erasure.listErasedDocuments(namespace))
    },
    forgetErasedDocuments: async (namespace, documents) => {
      const erasure = await loadErasure()
      return calls.write(() => erasure.forgetErasedDocuments(namespace, documents))
    },
  }
}
