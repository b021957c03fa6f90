import type { SessionKey } from '../store.ts'
import { toKey } from './rows.ts'
import { all, first, type Steps } from './steps.ts'

/** Instants at which a session wants to be looked at: for a fold, and for an extraction. Each has its index. */
type DueColumn = 'due_at' | 'extract_at'

export function* nextDueAt(namespace: string, column: DueColumn): Steps<number | null> {
  const row = yield* first<{ at: number }>(
    `SELECT ${column} AS at FROM sessions
     WHERE namespace = ?1 AND ${column} IS NOT NULL AND ready = 1 ORDER BY ${column} LIMIT 1`,
    namespace,
  )
  return row?.at ?? null
}

export function* listDue(
  namespace: string,
  column: DueColumn,
  page: { now: number; limit: number },
): Steps<readonly SessionKey[]> {
  const rows = yield* all<{ namespace: string; name: string }>(
    `SELECT namespace, name FROM sessions
     WHERE namespace = ?1 AND ${column} <= ?2 AND ready = 1 ORDER BY ${column} LIMIT ?3`,
    namespace,
    page.now,
    page.limit,
  )
  return rows.map(toKey)
}
