import type { FoldReceipt } from '../store.ts'
import type { SessionRow } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'

/** The result of a commit, so that a repeat of the commit changes nothing. */
export type StoredReceipt = Pick<FoldReceipt, 'segmentIds' | 'epoch'>

/**
 * The newest receipts of a session stand in one row. A program repeats a commit at once, and a session has
 * one fold in flight at a time. So this few are more than enough.
 */
const RECEIPTS = '\u0001folds'
const MAX_KEPT = 16
/** Programs of earlier versions keep each receipt in its own row, by its operation's id. */
const ROWS_AT_A_TIME = 100

type Kept = readonly [operationId: string, segmentIds: readonly number[], epoch: number]

export function* readFoldReceipt(session: SessionRow, operationId: string): Steps<StoredReceipt | null> {
  const rows = yield* all<{ operation_id: string; result: string }>(
    'SELECT operation_id, result FROM operations WHERE session_id = ?1 AND operation_id IN (?2, ?3)',
    session.id,
    operationId,
    RECEIPTS,
  )
  for (const { operation_id, result } of rows) {
    if (operation_id === operationId) return JSON.parse(result) as StoredReceipt
    const kept = (JSON.parse(result) as readonly Kept[]).find(([id]) => id === operationId)
    if (kept) return { segmentIds: kept[1], epoch: kept[2] }
  }
  return null
}

export function* keepFoldReceipt(
  session: SessionRow,
  operationId: string,
  { segmentIds, epoch }: StoredReceipt,
): Steps<void> {
  const row = yield* first<{ result: string }>(
    'SELECT result FROM operations WHERE session_id = ?1 AND operation_id = ?2',
    session.id,
    RECEIPTS,
  )
  const earlier: readonly Kept[] = row ? JSON.parse(row.result) : []
  const kept: readonly Kept[] = [...earlier, [operationId, segmentIds, epoch] as const].slice(-MAX_KEPT)
  yield* run(
    `INSERT INTO operations (session_id, operation_id, result) VALUES (?1, ?2, ?3)
     ON CONFLICT (session_id, operation_id) DO UPDATE SET result = excluded.result`,
    session.id,
    RECEIPTS,
    JSON.stringify(kept),
  )
  yield* dropOldRows(session, epoch)
}

/**
 * Deletes receipts that no program can repeat any more: each fold begins an epoch. Deletes a few at a time,
 * until there are none.
 */
function* dropOldRows({ id }: SessionRow, epoch: number): Steps<void> {
  const rows = yield* all<{ operation_id: string; result: string }>(
    `SELECT operation_id, result FROM operations WHERE session_id = ?1 AND operation_id BETWEEN '0' AND 'g'
     ORDER BY operation_id LIMIT ${ROWS_AT_A_TIME}`,
    id,
  )
  for (const { operation_id, result } of rows)
    if (
      /^[\da-f-]{36}$/.test(operation_id) &&
      (JSON.parse(result) as StoredReceipt).epoch <= epoch - MAX_KEPT
    )
      yield* run('DELETE FROM operations WHERE session_id = ?1 AND operation_id = ?2', id, operation_id)
}
