import { KeyExistsError } from '../../errors.ts'
import type { ApiKey } from '../api-key.ts'
import { noteRevision } from './revision.ts'
import { all, first, type Steps } from './steps.ts'

interface KeyRow {
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly scopes: string
  readonly hash: string
  readonly created_at: number
}

const COLUMNS = 'id, namespace, name, scopes, hash, created_at'

export function* addKey(key: ApiKey): Steps<void> {
  const { id, namespace, name, scopes, hash, createdAt } = key
  const [created, text] = [createdAt.getTime(), JSON.stringify(scopes)]
  const added = yield* first(
    `INSERT INTO api_keys (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING RETURNING id`,
    ...[id, namespace, name, text, hash, created],
  )
  if (!added) throw new KeyExistsError({ namespace, name })
  yield* noteRevision()
}

export function* readKey(id: string): Steps<ApiKey | null> {
  const row = yield* first<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?1`, id)
  return row ? toKey(row) : null
}

export function* listKeys(): Steps<readonly ApiKey[]> {
  const rows = yield* all<KeyRow>(`SELECT ${COLUMNS} FROM api_keys ORDER BY namespace, name`)
  return rows.map(toKey)
}

export function* removeKey(id: string): Steps<boolean> {
  const removed = yield* first('DELETE FROM api_keys WHERE id = ?1 RETURNING id', id)
  if (removed) yield* noteRevision()
  return removed !== undefined
}

function toKey({ scopes, created_at, ...key }: KeyRow): ApiKey {
  return { ...key, scopes: JSON.parse(scopes), createdAt: new Date(created_at) }
}
