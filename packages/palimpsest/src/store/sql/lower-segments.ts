import { allIn } from './many.ts'
import { SEGMENT_COLUMNS, type SegmentRow } from './rows.ts'
import type { Steps } from './steps.ts'

/** What others stand for. */

/**
 * The segments that stand for nothing any more but for what these do, by the index alone. Ask for their rows by these
 * ids: a database that is asked for all at once may take the segments of a session for few and read every one of them.
 */
export function* idsRolledInto(sessionId: number, ids: readonly number[]): Steps<readonly number[]> {
  const rows = yield* allIn<{ id: number }>(
    'SELECT id FROM segments WHERE session_id = ?1 AND rolled_into IN (*)',
    [sessionId],
    ids,
  )
  return rows.map(({ id }) => id)
}

/** In the order of what they tell of. */
export function* readLower(sessionId: number, id: number): Steps<readonly SegmentRow[]> {
  const rows = yield* allIn<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM segments WHERE session_id = ?1 AND id IN (*)`,
    [sessionId],
    yield* idsRolledInto(sessionId, [id]),
  )
  return rows.toSorted((one, other) => one.from_seq - other.from_seq || one.level - other.level)
}
