import type { SessionRecord, SessionStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlSessionStore(calls: Calls): SessionStore {
  return {
    readSession: key => calls.readOr(key, null, (session, { sql }) => sql.readRecord(session, calls.warn)),
    listSessions: (namespace, page) => {
      const { contains } = page
      if (contains === undefined)
        return calls.read(({ sql }) => sql.listSessions(namespace, page, calls.warn))
      return findSessions(calls, namespace, { ...page, contains })
    },
    listRecentSessions: (namespace, page) =>
      calls.read(({ sql }) => sql.listRecentSessions(namespace, page, calls.rules)),
    readGrowth: (key, points) => calls.readOr(key, [], (session, { sql }) => sql.readGrowth(session, points)),
    recordMeasures: (key, { overheadTokens, calibrations }) =>
      calls.writeExisting(key, function* (session, { sql }) {
        if (overheadTokens !== undefined) yield* sql.recordOverhead(session, overheadTokens)
        if (calibrations !== undefined) yield* sql.recordCalibrations(session, calibrations)
      }),
    assignTraits: (key, assignment) =>
      calls.writeExisting(key, (session, { sql }) => sql.assignTraits(session, assignment)),
    readSeen: key => calls.read(({ sql }) => sql.readSeen(key)),
    checkSeen: key =>
      calls.read(function* ({ sql }) {
        const { namespace, id } = key
        // The check ignores what another session of the same name is: that session is not the one the caller
        // saw.
        yield* sql.checkSeen(key, yield* sql.findSession({ namespace, id }))
      }),
  }
}

/** Other work gets its turn between the steps, because there may be millions of names. */
async function findSessions(
  calls: Calls,
  namespace: string,
  { after, limit, contains }: { readonly after?: string; readonly limit: number; readonly contains: string },
): Promise<readonly SessionRecord[]> {
  const found: SessionRecord[] = []
  let afterKey = await calls.while(async ({ sql }) => (after === undefined ? '' : sql.keyOf(after)))
  for (;;) {
    const page = { afterKey, limit: limit - found.length, contains }
    const { records, next } = await calls.read(({ sql }) => sql.findSessions(namespace, page, calls.rules))
    found.push(...records)
    if (next === null || found.length >= limit) return found
    afterKey = next
    await new Promise(resolve => setImmediate(resolve))
  }
}
