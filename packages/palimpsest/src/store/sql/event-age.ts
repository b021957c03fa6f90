/** The age of events, computed without their own times: a wrong clock may have written those. */

/**
 * A place in the order of events: first by `major`, then by `minor`. On SQLite it is the event's number. On
 * PostgreSQL it is a transaction and a number.
 */
export interface EventPlace {
  readonly major: number
  readonly minor: number
}

/** The newest event at the time when `livedMs` had passed. */
export interface EventMark extends EventPlace {
  readonly livedMs: number
}

const DAY_MS = 86_400_000
/** The retention has this many marks. An event stays at most one part too long. */
const MARKS_A_RETENTION = 32
/** If there are more marks, they were made for another retention. */
const MAX_MARKS = 256

/** Below 0: `one` is earlier. */
export function comparePlaces(one: EventPlace, other: EventPlace): number {
  return one.major - other.major || one.minor - other.minor
}

export function earliest(places: readonly EventPlace[]): EventPlace {
  return places.reduce((one, other) => (comparePlaces(other, one) < 0 ? other : one))
}

/**
 * The time that has passed, and the clock reading that it is based on. If a clock jumped ahead by more than a
 * day, it was set, or no program ran: one day counts. A clock that is behind by less than a day waits until
 * it catches up. A clock that is further behind is accepted as it is.
 */
export function passTime(
  { livedMs, lookedAt }: { readonly livedMs: number; readonly lookedAt: number | null },
  now: number,
): { readonly livedMs: number; readonly lookedAt: number } {
  const passedMs = now - (lookedAt ?? now)
  if (passedMs < 0) return { livedMs, lookedAt: passedMs < -DAY_MS ? now : lookedAt! }
  return { livedMs: livedMs + Math.min(passedMs, DAY_MS), lookedAt: now }
}

/** Adds a mark for the newest event if the last mark is old enough. */
export function markNewest(
  marks: readonly EventMark[],
  newest: EventPlace,
  { livedMs, retentionMs }: { readonly livedMs: number; readonly retentionMs: number },
): readonly EventMark[] {
  const last = marks.at(-1)
  const isSoon = last !== undefined && livedMs - last.livedMs < retentionMs / MARKS_A_RETENTION
  if (isSoon || comparePlaces(newest, last ?? { major: 0, minor: 0 }) <= 0) return marks
  const kept = marks.length < MAX_MARKS ? marks : marks.filter((_, index) => index % 2 === 1)
  return [...kept, { livedMs, major: newest.major, minor: newest.minor }]
}

/** All events through this mark are older than the retention. `null`: no event is known to be. */
export function oldThrough(
  marks: readonly EventMark[],
  { livedMs, retentionMs }: { readonly livedMs: number; readonly retentionMs: number },
): EventMark | null {
  return marks.findLast(mark => livedMs - mark.livedMs >= retentionMs) ?? null
}
