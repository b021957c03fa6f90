import type { LogStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlLogStore(calls: Calls): LogStore {
  return {
    append: request => calls.while(({ appends }) => appends.append(request)),
    replaceTail: request => calls.while(({ appends }) => appends.replaceTail(request)),
    edit: (key, change) =>
      calls.writeExisting(key, (session, { sql }) => sql.edit(session, change, calls.rules)),
    rollback: (key, change) =>
      calls.writeExisting(key, (session, { sql }) => sql.rollback(session, change, calls.rules)),
    readMessages: (key, which) =>
      calls.readOr(key, [], (session, { sql }) => {
        if (!('seqs' in which)) return sql.readMessages(session, which, calls.warn)
        const { seqs, answered = false } = which
        return answered ? sql.readAnsweringAt(session, seqs) : sql.search.readMessagesAt(session, seqs)
      }),
    knowsExternalId: (key, externalId) =>
      calls.readOr(key, false, (session, { sql }) => sql.knowsExternalId(session, externalId)),
    readVersions: (key, seq) => calls.readOr(key, [], (session, { sql }) => sql.readVersions(session, seq)),
  }
}
