import type { ScheduleStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

const DUE_COLUMNS = { judging: 'due_at', extraction: 'extract_at', rebuild: 'rebuild_at' } as const

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
    listDue: (namespace, { kind, ...page }) =>
      calls.read(({ sql }) => sql.listDue(namespace, DUE_COLUMNS[kind], page)),
    nextDueAt: (namespace, kind) => calls.read(({ sql }) => sql.nextDueAt(namespace, DUE_COLUMNS[kind])),
  }
}
