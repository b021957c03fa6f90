import type { TrimmedEvents, TrimRequest } from '../store.ts'
import type { Dialect } from './driver.ts'
import {
  comparePlaces,
  type EventMark,
  type EventPlace,
  earliest,
  markNewest,
  oldThrough,
  passTime,
} from './event-age.ts'
import { forgetConsumers, readSlowest } from './event-consumers.ts'
import { readNewestEvent } from './events.ts'
import { keepOldFolds, type OldEvent } from './fold-history.ts'
import { all, first, run, type Steps } from './steps.ts'

/** Few enough that a waiting append does not notice. */
const EVENTS_AT_A_TIME = 500
/**
 * The list of recently used sessions is read from the newest events, however old. The very newest event is
 * never deleted: SQLite would give its number again.
 */
const DEFAULT_KEPT = 5_000
/** If nothing is old, a process that checks again within this time writes nothing. */
const MIN_PASSED_MS = 600_000

interface TrimRow {
  readonly through_major: number
  readonly through_minor: number
  readonly lived_ms: number
  readonly looked_at: number | null
  readonly retention_ms: number | null
  readonly marks: string
}

const NOTHING: TrimmedEvents = { deleted: 0, isMore: false }

/**
 * Trims one slice, from the oldest event on. Any number of processes may do it at once. `through` is the
 * newest deleted event that any reader could have got: a reader before it has missed something. The history
 * of folds is kept elsewhere.
 */
export function* trimEvents(request: TrimRequest, dialect: Dialect): Steps<TrimmedEvents> {
  const { now, retentionMs, keepNewest = DEFAULT_KEPT } = request
  const row = yield* first<TrimRow>(
    `SELECT through_major, through_minor, lived_ms, looked_at, retention_ms, marks FROM event_trim
     ${dialect.skipLocked}`,
  )
  // Another process is trimming.
  if (row === undefined) return NOTHING
  const through: EventPlace = { major: row.through_major, minor: row.through_minor }
  const passed = passTime({ livedMs: row.lived_ms, lookedAt: row.looked_at }, now)
  const time = { livedMs: passed.livedMs, retentionMs }
  const known: readonly EventMark[] = JSON.parse(row.marks)
  const newest = yield* readNewestEvent(dialect)
  const marks = newest === undefined ? known : markNewest(known, newest, time)
  const old = oldThrough(marks, time)
  const end = old === null ? null : yield* endOfTrim({ old, through, keepNewest, time }, dialect)
  const isWaiting = Math.abs(passed.lookedAt - (row.looked_at ?? 0)) < MIN_PASSED_MS
  if (end === null && isWaiting && marks === known && row.retention_ms === retentionMs) return NOTHING
  yield* forgetConsumers(time)
  const slice = end === null ? null : yield* trimSlice({ after: through, end }, dialect)
  yield* run(
    `UPDATE event_trim SET through_major = ?1, through_minor = ?2, lived_ms = ?3, looked_at = ?4, retention_ms = ?5,
       marks = ?6`,
    slice?.through.major ?? through.major,
    slice?.through.minor ?? through.minor,
    passed.livedMs,
    passed.lookedAt,
    retentionMs,
    // Of the old marks, the newest one is enough.
    JSON.stringify(old === null ? marks : marks.slice(marks.indexOf(old))),
  )
  return slice === null ? NOTHING : { deleted: slice.deleted, isMore: slice.isMore }
}

/** The place up to which may be trimmed now; `null`: nothing may be. */
function* endOfTrim(
  {
    old,
    through,
    keepNewest,
    time,
  }: {
    readonly old: EventPlace
    readonly through: EventPlace
    readonly keepNewest: number
    readonly time: { readonly livedMs: number; readonly retentionMs: number }
  },
  { events }: Dialect,
): Steps<EventPlace | null> {
  if (comparePlaces(old, through) <= 0) return null
  const beforeKept = yield* first<EventPlace>(
    `SELECT ${events.place} FROM events ORDER BY ${events.orderBy('DESC')} LIMIT 1 OFFSET ?1`,
    Math.max(1, keepNewest),
  )
  if (beforeKept === undefined) return null
  const slowest = yield* readSlowest(time)
  const end = earliest([old, beforeKept, ...(slowest ? [slowest] : [])])
  return comparePlaces(end, through) <= 0 ? null : end
}

interface Slice {
  readonly through: EventPlace
  readonly deleted: number
  readonly isMore: boolean
}

function* trimSlice(
  { after, end }: { readonly after: EventPlace; readonly end: EventPlace },
  { events }: Dialect,
): Steps<Slice> {
  const due = events.between(after, end)
  const last = yield* first<EventPlace>(
    `SELECT ${events.place} FROM events WHERE ${due.sql} ORDER BY ${events.orderBy('ASC')}
     LIMIT 1 OFFSET ${EVENTS_AT_A_TIME - 1}`,
    ...due.parameters,
  )
  const slice = events.between(after, last ?? end)
  // Readers never get an event whose session is gone, so no reader misses it.
  const told = yield* first<EventPlace>(
    `SELECT ${events.place} FROM events WHERE ${slice.sql} AND ${BELONGS}
     ORDER BY ${events.orderBy('DESC')} LIMIT 1`,
    ...slice.parameters,
  )
  const gone = yield* all<OldEvent>(
    `DELETE FROM events WHERE ${slice.sql} RETURNING id, session_id, type, at, from_seq, to_seq, data`,
    ...slice.parameters,
  )
  yield* keepOldFolds(gone)
  return { through: told ?? after, deleted: gone.length, isMore: last !== undefined }
}

const BELONGS = `(EXISTS (SELECT 1 FROM sessions s WHERE s.id = events.session_id)
  OR EXISTS (SELECT 1 FROM documents d WHERE d.id = events.document_id))`
