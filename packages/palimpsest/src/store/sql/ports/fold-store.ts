import type { FoldStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlFoldStore(calls: Calls): FoldStore {
  return {
    readPlan: (key, page = {}) =>
      calls.readOr(key, null, (session, { sql }) => sql.readPlan(session, page, calls.warn)),
    readSegments: (key, which, range) =>
      calls.readOr(key, [], (session, { sql }) => sql.readSegments(session, which, range)),
    readSegment: (key, id) => calls.readOr(key, null, (session, { sql }) => sql.readSegment(session, id)),
    readFolds: (key, page) => calls.readOr(key, [], (session, { sql }) => sql.readFolds(session, page)),
    acquireLease: (key, request) =>
      calls.writeExisting(key, (session, { sql }) => sql.fold.acquireLease(session, request, calls.warn)),
    renewLease: (key, request) =>
      calls.writeExisting(key, (session, { sql }) => sql.fold.renewLease(session, request)),
    releaseLease: (key, token) =>
      calls.writeExisting(key, (session, { sql }) => sql.fold.releaseLease(session, token)),
    commitFold: commit =>
      calls.writeExisting(commit.key, (session, { sql }) =>
        sql.fold.commitFold(session, commit, calls.rules),
      ),
    failFold: (key, failure) =>
      calls.writeExisting(key, (session, { sql }) => sql.fold.failFold(session, failure)),
  }
}
