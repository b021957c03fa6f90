import type { RebuildStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlRebuildStore(calls: Calls): RebuildStore {
  return {
    listWithheld: (namespace, page) => calls.read(({ sql }) => sql.listWithheld(namespace, page)),
    commitRebuilt: (key, rebuilt) =>
      calls.writeOr(key, false, (session, { sql }) => sql.commitRebuilt(session, rebuilt, calls.dialect)),
    readOutdated: key => calls.readOr(key, null, (session, { sql }) => sql.readOutdated(session)),
    endCorrections: (key, request) =>
      calls.writeExisting(key, (session, { sql }) => sql.endCorrections(session, request)),
    failRebuild: (key, failure) =>
      calls.writeExisting(key, (session, { sql }) => sql.failRebuild(session, failure)),
  }
}
