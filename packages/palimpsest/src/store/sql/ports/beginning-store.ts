import type { BeginningStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlBeginningStore(calls: Calls): BeginningStore {
  return {
    beginAnew: (key, change) =>
      calls.writeExisting(key, (session, { sql }) => sql.beginAnew(session, change, calls.rules)),
    takeBackBeginning: (key, change) =>
      calls.writeExisting(key, (session, { sql }) => sql.takeBackBeginning(session, change, calls.rules)),
    readBeginnings: key => calls.readOr(key, [], (session, { sql }) => sql.readBeginnings(session)),
  }
}
