import { EVENT_TYPES } from '../store.ts'
import type { Dialect } from './driver.ts'
import { type ErasureStep, ownerOf, type Slice } from './erasure-slice.ts'
import { all, first, run, type Steps } from './steps.ts'

/** Events hold nothing of what was said, but tell of sessions, and how documents were called. */

const EVENTS_AT_A_TIME = 5_000

/** A place in the order of their key. */
interface Position {
  readonly major: number
  readonly minor: number
}

const END: Position = { major: Number.MAX_SAFE_INTEGER, minor: Number.MAX_SAFE_INTEGER }

/** An index by session would cost every append: all events are looked through instead. */
export const forgetEvents: ErasureStep = function* (slice, cursor) {
  const after = (cursor ?? { major: 0, minor: 0 }) as Position
  const owner = ownerOf(slice)
  const hidden = yield* first('SELECT id FROM sessions WHERE ready > 1 AND lease_owner = ?1 LIMIT 1', owner)
  if (!hidden) return cursor === null ? 'nothing' : 'done'
  yield* keepNewestEvent(slice)
  const end = (yield* windowEnd(after, slice.dialect)) ?? END
  slice.count('events', yield* forgetWithin(after, end, slice))
  return end === END ? 'done' : { next: end }
}

const LATER_TRANSACTION = '(transaction_id, id) > (CAST(CAST(?1 AS TEXT) AS XID8), ?2)'

function* windowEnd({ major, minor }: Position, { locksSessions }: Dialect): Steps<Position | undefined> {
  const last = EVENTS_AT_A_TIME - 1
  if (!locksSessions)
    return yield* first<Position>(
      'SELECT id AS major, 0 AS minor FROM events WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2',
      major,
      last,
    )
  return yield* first<Position>(
    `SELECT CAST(CAST(transaction_id AS TEXT) AS BIGINT) AS major, id AS minor FROM events
     WHERE ${LATER_TRANSACTION} ORDER BY transaction_id, id LIMIT 1 OFFSET ?3`,
    major,
    minor,
    last,
  )
}

function* forgetWithin(after: Position, end: Position, slice: Slice): Steps<number> {
  const isOurs = (place: number) => `EXISTS (
    SELECT 1 FROM sessions s WHERE s.id = events.session_id AND s.ready > 1 AND s.lease_owner = ?${place})`
  const gone = slice.dialect.locksSessions
    ? yield* all(
        `DELETE FROM events WHERE ${LATER_TRANSACTION}
           AND (transaction_id, id) <= (CAST(CAST(?3 AS TEXT) AS XID8), ?4) AND ${isOurs(5)} RETURNING id`,
        after.major,
        after.minor,
        end.major,
        end.minor,
        ownerOf(slice),
      )
    : yield* all(
        `DELETE FROM events WHERE id > ?1 AND id <= ?2 AND ${isOurs(3)} RETURNING id`,
        after.major,
        end.major,
        ownerOf(slice),
      )
  return gone.length
}

/**
 * SQLite gives the number of the newest event again once that is deleted, and whoever had read it would miss the next
 * one. So an event of nobody is the newest before any is deleted.
 */
export function* keepNewestEvent({ dialect, now }: Slice): Steps<void> {
  if (dialect.locksSessions) return
  yield* run(
    `INSERT INTO events (session_id, type, at) SELECT 0, ?1, ?2 WHERE EXISTS (
       SELECT 1 FROM events WHERE id = (SELECT max(id) FROM events)
         AND (session_id <> 0 OR document_id IS NOT NULL))`,
    EVENT_TYPES.indexOf('messages-erased'),
    now,
  )
}
