import type { SettingsStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlSettingsStore(calls: Calls): SettingsStore {
  return {
    updateSettings: (key, changes, options) =>
      calls.writeExisting(key, (session, { sql }) => sql.updateSettings(session, changes, options)),
    readOwnSettings: key => calls.read(({ sql }) => sql.readOwnSettings(key)),
    readSettings: namespace => calls.read(({ sql }) => sql.readSettings(namespace)),
    writeSettings: (namespace, changes, options) =>
      calls.write(({ sql }) => sql.writeSettings(namespace, changes, options)),
    readRevision: () => calls.read(({ sql }) => sql.readRevision()),
  }
}
