import type { PinStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlPinStore(calls: Calls): PinStore {
  return {
    readPins: key => calls.readOr(key, [], (session, { sql }) => sql.readPins(session)),
    pin: (key, pin) => calls.writeExisting(key, (session, { sql }) => sql.pin(session, pin)),
    unpin: (key, id) => calls.writeExisting(key, (session, { sql }) => sql.unpin(session, id)),
  }
}
