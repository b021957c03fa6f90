import type { SearchStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlSearchStore(calls: Calls): SearchStore {
  return {
    readSearch: (namespace, request) =>
      calls.read(({ sql, columns }) => sql.search.readSearch(namespace, request, columns)),
    readIndexWork: (key, request) =>
      calls.readOr(key, null, (session, { sql }) => sql.indexing.readIndexWork(session, request)),
    writeIndex: (key, write) =>
      calls.writeOr(key, false, (session, { sql }) => sql.indexing.writeIndex(session, write)),
    listUnindexed: (namespace, page) => calls.read(({ sql }) => sql.indexing.listUnindexed(namespace, page)),
  }
}
