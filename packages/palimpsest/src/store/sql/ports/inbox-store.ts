import type { InboxStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlInboxStore(calls: Calls): InboxStore {
  return {
    readWaiting: (namespace, page) => calls.read(({ sql }) => sql.waiting.readWaiting(namespace, page)),
    awaitAnswer: (key, change) =>
      calls.writeOr(key, false, (session, { sql }) => sql.waiting.awaitAnswer(session, change)),
    noteWaiting: (key, note) =>
      calls.writeOr(key, undefined, (session, { sql }) => sql.waiting.noteWaiting(session, note)),
    settleWaiting: (key, seqs) =>
      calls.writeOr(key, undefined, (session, { sql }) => sql.waiting.settleWaiting(session, seqs)),
    countAllowance: (key, allowance) =>
      calls.readOr(key, 0, (session, { sql }) => sql.allowances.countAllowance(session, allowance)),
    takeAllowance: (key, allowance) =>
      calls.writeOr(key, false, (session, { sql }) => sql.allowances.takeAllowance(session, allowance)),
    readAlias: key => calls.read(({ sql }) => sql.aliases.readAlias(key)),
    addAlias: (key, alias) =>
      calls.writeOr(key, false, (session, { sql }) => sql.aliases.addAlias(session, alias)),
  }
}
