import type { JobStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlJobStore(calls: Calls): JobStore {
  const { queuesFolds = false } = calls.driver
  return {
    enqueueDue: request =>
      calls.write(({ sql }) => sql.queuedFolds.enqueueDue(queuesFolds ? request : { ...request, limit: 0 })),
    enqueuePending: page =>
      calls.write(({ sql }) => sql.queuedFolds.enqueuePending(queuesFolds ? page : { ...page, limit: 0 })),
    endFoldJob: (key, request) =>
      calls.writeOr(key, true, (session, { sql }) =>
        sql.queuedFolds.endFoldJob(session, request, calls.warn),
      ),
  }
}
