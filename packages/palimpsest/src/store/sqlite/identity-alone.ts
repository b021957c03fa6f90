import { DatabaseSync } from 'node:sqlite'
import type { Identity } from '../store.ts'
import { addressOf } from './view.ts'

/**
 * Reads the identity from a file without its log (`immutable`). What other processes are writing now may be
 * unreadable, and counts as none.
 */
export function readIdentityAlone(path: string): {
  readonly rootPage: number | null
  readonly identity: Identity | null
} {
  const unknown = { rootPage: null, identity: null }
  let database: DatabaseSync
  try {
    database = new DatabaseSync(addressOf(path, 'mode=ro&immutable=1'), { readOnly: true })
  } catch {
    return unknown
  }
  try {
    const row = database
      .prepare(
        `SELECT s.rootpage, i.id, i.generation, i.generation_key
         FROM sqlite_schema s, identity i WHERE s.name = 'identity' AND s.type = 'table'`,
      )
      .get() as { rootpage: number; id: string; generation: number; generation_key: string } | undefined
    if (row === undefined) return unknown
    const { rootpage, id, generation, generation_key: generationKey } = row
    return { rootPage: rootpage, identity: { id, generation, generationKey } }
  } catch {
    return unknown
  } finally {
    database.close()
  }
}
