import { idsRolledInto } from './lower-segments.ts'
import { runIn } from './many.ts'
import { forgetPacked } from './packs.ts'
import type { SessionRow } from './rows.ts'
import { all, first, type Steps } from './steps.ts'
import { forgetMemos, OLDEST_WINDOW } from './withheld.ts'

/**
 * Deletes segments that reach past the cut. Segments that were rolled up into them are shown again. A window
 * reaches as far as its maker had read. What was folded after a window depends on it, and goes with it.
 */
export function* dropFoldsAbove(session: SessionRow, seq: number): Steps<void> {
  yield* forgetMemos(session, seq + 1)
  const window = yield* first<{ id: number | null }>(`SELECT (${OLDEST_WINDOW}) AS id`, session.id, seq + 1)
  const past = yield* all<{ id: number; mark: string }>(
    'DELETE FROM segments WHERE session_id = ?1 AND to_seq > ?2 RETURNING id, text AS mark',
    session.id,
    seq,
  )
  const resting = yield* all<{ id: number; mark: string }>(
    'DELETE FROM segments WHERE session_id = ?1 AND id >= ?2 RETURNING id, text AS mark',
    session.id,
    window?.id ?? Number.MAX_SAFE_INTEGER,
  )
  yield* forgetPacked([...past, ...resting].map(({ mark }) => mark))
  const gone = [...past, ...resting].map(({ id }) => id)
  yield* runIn(
    'UPDATE segments SET rolled_into = NULL WHERE session_id = ?1 AND id IN (*)',
    [session.id],
    yield* idsRolledInto(session.id, gone),
  )
}
