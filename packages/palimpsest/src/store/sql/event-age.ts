/** How old events are, without the times that they bear: a clock that was wrong has written those. */

/**
 * A place in the order of events: after those with a smaller `major`, and of the same `major`, with a smaller `minor`.
 * On SQLite it is their number, on PostgreSQL a transaction and a number.
 */
export interface EventPlace {
  readonly major: number
  readonly minor: number
}

/** That event was the newest when so much time had passed. */
export interface EventMark extends EventPlace {
  readonly livedMs: number
}

const DAY_MS = 86_400_000
/** So many parts of the retention pass between two marks: an event stays no longer than one of them too long. */
const MARKS_A_RETENTION = 32
/** More of them were made for another retention. */
const MAX_MARKS = 256

/** Below 0: the first is earlier. */
export function comparePlaces(one: EventPlace, other: EventPlace): number {
  return one.major - other.major || one.minor - other.minor
}

export function earliest(places: readonly EventPlace[]): EventPlace {
  return places.reduce((one, other) => (comparePlaces(other, one) < 0 ? other : one))
}

/**
 * The time that has passed, and by which clock. A clock that went on by more than a day was set, or no program ran: a day
 * has passed. One that is behind another one's by less than a day waits for it; one that is further behind is taken as it is.
 */
export function passTime(
  { livedMs, lookedAt }: { readonly livedMs: number; readonly lookedAt: number | null },
  now: number,
): { readonly livedMs: number; readonly lookedAt: number } {
  const passedMs = now - (lookedAt ?? now)
  if (passedMs < 0) return { livedMs, lookedAt: passedMs < -DAY_MS ? now : lookedAt! }
  return { livedMs: livedMs + Math.min(passedMs, DAY_MS), lookedAt: now }
}

/** With one for the newest event, where the last one is old enough. */
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

/** Through which all are older than that; `null`: none is known to be. */
export function oldThrough(
  marks: readonly EventMark[],
  { livedMs, retentionMs }: { readonly livedMs: number; readonly retentionMs: number },
): EventMark | null {
  return marks.findLast(mark => livedMs - mark.livedMs >= retentionMs) ?? null
}
