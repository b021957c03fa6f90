import type { SessionKey } from '../store.ts'
import { keyOf } from './keys.ts'
import type { SessionRow } from './rows.ts'
import { first, run, type Steps } from './steps.ts'

/**
 * Other names of sessions. An alias of a session that is gone, or is being erased, leads nowhere. Another
 * session may take that name.
 */
const FIND = `SELECT s.id, s.name FROM aliases a JOIN sessions s ON s.id = a.session_id
  WHERE a.namespace = ?1 AND a.name_key = ?2 AND s.ready = 1`

export function* readAlias({ namespace, id }: SessionKey): Steps<string | null> {
  const row = yield* first<{ name: string }>(FIND, namespace, keyOf(id))
  return row?.name ?? null
}

/** `false`: the name belongs to a session, or is another session's alias. */
export function* addAlias({ id, namespace }: SessionRow, alias: string): Steps<boolean> {
  const key = keyOf(alias)
  const borne = yield* first(
    'SELECT id FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 1',
    namespace,
    key,
  )
  const taken = yield* first<{ id: number }>(FIND, namespace, key)
  if (borne !== undefined || (taken !== undefined && taken.id !== id)) return false
  yield* run('DELETE FROM aliases WHERE namespace = ?1 AND name_key = ?2', namespace, key)
  yield* run('INSERT INTO aliases (namespace, name_key, session_id) VALUES (?1, ?2, ?3)', namespace, key, id)
  return true
}
