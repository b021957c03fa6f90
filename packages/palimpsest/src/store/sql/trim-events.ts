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
import { keepOldFolds, type OldEvent } from './fold-history.ts'
import { all, first, run, type Steps } from './steps.ts'

/** Few enough that an append which waits for it does not notice. */
const EVENTS_AT_A_TIME = 500
/** Which sessions were busy last is read of the newest ones, however old. The very newest is never deleted: SQLite would give its number again. */
const DEFAULT_KEPT = 5_000
/** While nothing is old, who looks again sooner writes nothing. */
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
 * One slice, from the oldest on. Any number of processes may do it at once. `through` is where the newest event lay that any
 * reader could have got: a reader before it has missed something. The history of folds goes on elsewhere.
 */
export function* trimEvents(request: TrimRequest, dialect: Dialect): Steps<TrimmedEvents> {
  const { now, retentionMs, keepNewest = DEFAULT_KEPT } = request
  const row = yield* first<TrimRow>(
    `SELECT through_major, through_minor, lived_ms, looked_at, retention_ms, marks FROM event_trim
     ${dialect.locksSessions ? 'FOR UPDATE SKIP LOCKED' : ''}`,
  )
  // Another process does it.
  if (row === undefined) return NOTHING
  const through: EventPlace = { major: row.through_major, minor: row.through_minor }
  const passed = passTime({ livedMs: row.lived_ms, lookedAt: row.looked_at }, now)
  const time = { livedMs: passed.livedMs, retentionMs }
  const known: readonly EventMark[] = JSON.parse(row.marks)
  const newest = yield* first<EventPlace>(dialect.readLastPosition)
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
    // Of those that are old the newest says all.
    JSON.stringify(old === null ? marks : marks.slice(marks.indexOf(old))),
  )
  return slice === null ? NOTHING : { deleted: slice.deleted, isMore: slice.isMore }
}

/** As far as may be trimmed now; `null`: nothing may. */
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
  dialect: Dialect,
): Steps<EventPlace | null> {
  if (comparePlaces(old, through) <= 0) return null
  const beforeKept = yield* first<EventPlace>(
    `SELECT ${placeOf(dialect)} FROM events ORDER BY ${orderOf(dialect, 'DESC')} LIMIT 1 OFFSET ?1`,
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
  dialect: Dialect,
): Steps<Slice> {
  const last = yield* first<EventPlace>(
    `SELECT ${placeOf(dialect)} FROM events WHERE ${within(dialect)} ORDER BY ${orderOf(dialect, 'ASC')}
     LIMIT 1 OFFSET ${EVENTS_AT_A_TIME - 1}`,
    ...boundsOf({ after, through: end }, dialect),
  )
  const bounds = boundsOf({ after, through: last ?? end }, dialect)
  // What is gone with its session is told to no reader, so no reader misses it.
  const told = yield* first<EventPlace>(
    `SELECT ${placeOf(dialect)} FROM events WHERE ${within(dialect)} AND ${BELONGS}
     ORDER BY ${orderOf(dialect, 'DESC')} LIMIT 1`,
    ...bounds,
  )
  const gone = yield* all<OldEvent>(
    `DELETE FROM events WHERE ${within(dialect)} RETURNING id, session_id, type, at, from_seq, to_seq, data`,
    ...bounds,
  )
  yield* keepOldFolds(gone)
  return { through: told ?? after, deleted: gone.length, isMore: last !== undefined }
}

const BELONGS = `(EXISTS (SELECT 1 FROM sessions s WHERE s.id = events.session_id)
  OR EXISTS (SELECT 1 FROM documents d WHERE d.id = events.document_id))`

function placeOf({ locksSessions }: Dialect): string {
  return locksSessions
    ? 'CAST(CAST(transaction_id AS TEXT) AS BIGINT) AS major, id AS minor'
    : 'id AS major, 0 AS minor'
}

function orderOf({ locksSessions }: Dialect, direction: 'ASC' | 'DESC'): string {
  return locksSessions ? `transaction_id ${direction}, id ${direction}` : `id ${direction}`
}

/** By the parameters of `boundsOf`. */
function within({ locksSessions }: Dialect): string {
  const place = (major: number) => `(CAST(CAST(?${major} AS TEXT) AS XID8), ?${major + 1})`
  return locksSessions
    ? `(transaction_id, id) > ${place(1)} AND (transaction_id, id) <= ${place(3)}`
    : 'id > ?1 AND id <= ?2'
}

function boundsOf(
  { after, through }: { readonly after: EventPlace; readonly through: EventPlace },
  { locksSessions }: Dialect,
): readonly number[] {
  return locksSessions
    ? [after.major, after.minor, through.major, through.minor]
    : [after.major, through.major]
}
