import { lastBelieved } from '../../log/index.ts'
import { MAX_DUE_MS } from '../../policy/index.ts'
import type { SessionKey } from '../store.ts'
import { toKey } from './rows.ts'
import { all, first, type Steps } from './steps.ts'

/**
 * The times at which a session is due: for a fold, for an extraction, and for segments over edited messages.
 * Each has its index.
 */
type DueColumn = 'due_at' | 'extract_at' | 'rebuild_at'

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
  return (yield* dueRows(namespace, column, page)).map(toKey)
}

/** No time is written further ahead than this. A time that is further ahead comes from a wrong clock. */
export const MAX_EXTRACTION_WAIT_MS = 24 * 3_600_000

const MAX_WAITS_MS: Readonly<Record<DueColumn, number>> = {
  due_at: MAX_DUE_MS,
  extract_at: MAX_EXTRACTION_WAIT_MS,
  rebuild_at: MAX_DUE_MS,
}

interface DueRow {
  readonly id: number
  readonly namespace: string
  readonly name: string
}

/**
 * Sessions whose time has come, the longest due first. After them, sessions whose time no right clock can
 * have written.
 */
export function* dueRows(
  namespace: string,
  column: DueColumn,
  { now, limit }: { now: number; limit: number },
): Steps<readonly DueRow[]> {
  const rows: DueRow[] = []
  const ranges = [
    [`${column} <= ?2`, now],
    [`${column} > ?2`, lastBelieved(now, MAX_WAITS_MS[column])],
  ] as const
  for (const [condition, instant] of ranges)
    if (rows.length < limit)
      rows.push(
        ...(yield* all<DueRow>(
          `SELECT id, namespace, name FROM sessions
           WHERE namespace = ?1 AND ${condition} AND ready = 1 ORDER BY ${column} LIMIT ?3`,
          namespace,
          instant,
          limit - rows.length,
        )),
      )
  return rows
}
