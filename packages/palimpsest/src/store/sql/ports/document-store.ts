import type { DocumentStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlDocumentStore(calls: Calls): DocumentStore {
  return {
    readDocument: key => calls.read(({ sql }) => sql.documents.readDocument(key)),
    listDocuments: (namespace, page) => calls.read(({ sql }) => sql.documents.listDocuments(namespace, page)),
    changeDocuments: writes => calls.write(({ sql }) => sql.documents.changeDocuments(writes, calls.dialect)),
    readDocumentVersions: (key, page) =>
      calls.read(({ sql }) => sql.documents.readDocumentVersions(key, page)),
    readFacts: (key, which) => calls.read(({ sql }) => sql.documents.readDocumentFacts(key, which)),
  }
}
