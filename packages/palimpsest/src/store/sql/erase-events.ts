import { EVENT_TYPES } from '../store.ts'
import type { Dialect } from './driver.ts'
import { type ErasureStep, ownerOf, type Slice } from './erasure-slice.ts'
import type { EventPlace } from './event-age.ts'
import { all, first, run, type Steps } from './steps.ts'

/** Events hold nothing of what was said. But they tell of sessions, and of the names of documents. */

const EVENTS_AT_A_TIME = 5_000

const END: EventPlace = { major: Number.MAX_SAFE_INTEGER, minor: Number.MAX_SAFE_INTEGER }

/** Reads through all events, because an index by session would make every append more expensive. */
export const forgetEvents: ErasureStep = function* (slice, cursor) {
  const after = (cursor ?? { major: 0, minor: 0 }) as EventPlace
  const owner = ownerOf(slice)
  const hidden = yield* first('SELECT id FROM sessions WHERE ready > 1 AND lease_owner = ?1 LIMIT 1', owner)
  if (!hidden) return cursor === null ? 'nothing' : 'done'
  yield* keepNewestEvent(slice)
  const end = (yield* windowEnd(after, slice.dialect)) ?? END
  slice.count('events', yield* forgetWithin(after, end, slice))
  return end === END ? 'done' : { next: end }
}

function* windowEnd(from: EventPlace, { events }: Dialect): Steps<EventPlace | undefined> {
  const after = events.after(from)
  return yield* first<EventPlace>(
    `SELECT ${events.place} FROM events WHERE ${after.sql} ORDER BY ${events.orderBy('ASC')}
     LIMIT 1 OFFSET ${EVENTS_AT_A_TIME - 1}`,
    ...after.parameters,
  )
}

function* forgetWithin(after: EventPlace, end: EventPlace, slice: Slice): Steps<number> {
  const within = slice.dialect.events.between(after, end)
  const gone = yield* all(
    `DELETE FROM events WHERE ${within.sql} AND EXISTS (
       SELECT 1 FROM sessions s WHERE s.id = events.session_id AND s.ready > 1
         AND s.lease_owner = ?${within.parameters.length + 1}) RETURNING id`,
    ...within.parameters,
    ownerOf(slice),
  )
  return gone.length
}

/**
 * If a database gives the number of a deleted event again, a reader that has read the newest event would miss
 * the next one. So before any event is deleted, an event of no session is made the newest.
 */
export function* keepNewestEvent({ dialect, now }: Slice): Steps<void> {
  if (!dialect.events.reusesNumbers) return
  yield* run(
    `INSERT INTO events (session_id, type, at) SELECT 0, ?1, ?2 WHERE EXISTS (
       SELECT 1 FROM events WHERE id = (SELECT max(id) FROM events)
         AND (session_id <> 0 OR document_id IS NOT NULL))`,
    EVENT_TYPES.indexOf('messages-erased'),
    now,
  )
}
