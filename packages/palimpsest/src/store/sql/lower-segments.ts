import { allIn } from './many.ts'
import { SEGMENT_COLUMNS, type SegmentRow } from './rows.ts'
import type { Steps } from './steps.ts'

/** Segments that other segments stand for. */

/**
 * The ids of the segments that were rolled up into these, read from the index alone. Read their rows by these
 * ids. With one query for both, a database may take a session's segments for few and read every one of them.
 */
export function* idsRolledInto(sessionId: number, ids: readonly number[]): Steps<readonly number[]> {
  const rows = yield* allIn<{ id: number }>(
    'SELECT id FROM segments WHERE session_id = ?1 AND rolled_into IN (*)',
    [sessionId],
    ids,
  )
  return rows.map(({ id }) => id)
}

/** In the order of the messages that they cover. */
export function* readLower(sessionId: number, id: number): Steps<readonly SegmentRow[]> {
  const rows = yield* allIn<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM segments WHERE session_id = ?1 AND id IN (*)`,
    [sessionId],
    yield* idsRolledInto(sessionId, [id]),
  )
  return rows.toSorted((one, other) => one.from_seq - other.from_seq || one.level - other.level)
}
