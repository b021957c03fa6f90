import type { EventStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlEventStore(calls: Calls): EventStore {
  return {
    readEvents: page => calls.read(({ sql }) => sql.readEvents(page, calls.dialect)),
    readLastPosition: () => calls.read(({ sql }) => sql.readLastPosition(calls.dialect)),
    readFirstPosition: () => calls.read(({ sql }) => sql.readFirstPosition()),
    noteConsumer: (namespace, note) =>
      calls.write(({ sql }) => sql.noteConsumer(namespace, note, calls.dialect)),
    forgetConsumer: (namespace, name) => calls.write(({ sql }) => sql.forgetConsumer(namespace, name)),
    trimEvents: request => calls.write(({ sql }) => sql.trimEvents(request, calls.dialect)),
  }
}
