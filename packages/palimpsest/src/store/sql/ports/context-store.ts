import type { ContextStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlContextStore(calls: Calls): ContextStore {
  return {
    readContext: (key, request) =>
      calls.readOr(key, null, (session, { sql }) => sql.readContext(session, request, calls.warn)),
    freezeLayers: (key, request) =>
      calls.writeExisting(key, (session, { sql }) => sql.freezeLayers(session, request)),
    readLayerTexts: (key, wanted) =>
      calls.readOr(key, [], (session, { sql }) => sql.readLayerTexts(session, wanted)),
    readCondensedLines: (key, document) =>
      calls.readOr(key, [], (session, { sql }) => sql.readCondensedLines(session, document)),
  }
}
