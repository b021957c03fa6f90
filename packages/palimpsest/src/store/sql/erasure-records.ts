import type { ErasurePlace, ErasureRecord, ErasureStage, ErasureTarget } from '../erasure.ts'
import { all, first, type Steps } from './steps.ts'

/**
 * What every process asks at its start. It is apart from the rest, so that the erasure code is not loaded.
 */

export interface ErasureRow {
  readonly id: number
  readonly target: string | null
  readonly requested_at: number
  readonly stage: ErasureStage
  readonly places: string
  readonly progress: string | null
  readonly highest: number
  readonly list_id: string | null
}

export const ERASURE_COLUMNS = 'id, target, requested_at, stage, places, progress, highest, list_id'

export type Counts = Partial<Record<ErasurePlace, number>>

export function toRecord(row: ErasureRow): ErasureRecord {
  return {
    id: row.id,
    target: row.target === null ? null : (JSON.parse(row.target) as ErasureTarget),
    requestedAt: new Date(row.requested_at),
    stage: row.stage,
    counts: JSON.parse(row.places) as Counts,
    listId: row.list_id,
  }
}

export function* findErasure(namespace: string, id: number): Steps<ErasureRow | undefined> {
  return yield* first<ErasureRow>(
    `SELECT ${ERASURE_COLUMNS} FROM erasures WHERE id = ?1 AND namespace = ?2`,
    id,
    namespace,
  )
}

export function* readErasure(namespace: string, id: number): Steps<ErasureRecord | null> {
  const row = yield* findErasure(namespace, id)
  return row ? toRecord(row) : null
}

export function* listOpenErasures(namespace: string): Steps<readonly ErasureRecord[]> {
  const rows = yield* all<ErasureRow>(
    `SELECT ${ERASURE_COLUMNS} FROM erasures WHERE namespace = ?1 AND stage <> 'done' ORDER BY id`,
    namespace,
  )
  return rows.map(toRecord)
}

/** The ids of all namespaces. */
export function* readErasureListIds(): Steps<readonly string[]> {
  const rows = yield* all<{ list_id: string }>(
    'SELECT DISTINCT list_id FROM erasures WHERE list_id IS NOT NULL ORDER BY list_id',
  )
  return rows.map(({ list_id }) => list_id)
}
