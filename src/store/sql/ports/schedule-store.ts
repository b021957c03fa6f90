import type { ScheduleStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlScheduleStore(calls: Calls): ScheduleStore {
  return {
    readSnapshot: (key, request) =>
      calls.readOr(key, null, function* (session, { sql }) {
        return (yield* sql.judgeNow(session, request, calls.warn)).snapshot
      }),
    judge: (key, request) =>
      calls.writeOr(key, null, (session, { sql }) => sql.judgeAgain(session, request, calls.warn)),
    setPending: (key, decision) =>
      calls.writeExisting(key, (session, { sql }) => sql.fold.setPending(session, decision)),
    listPending: (namespace, page) => calls.read(({ sql }) => sql.fold.listPending(namespace, page)),
    listDue: (namespace, page) => calls.read(({ sql }) => sql.listDue(namespace, 'due_at', page)),
    nextDueAt: namespace => calls.read(({ sql }) => sql.nextDueAt(namespace, 'due_at')),
  }
}
