import type { Message } from '../../log/index.ts'
import { allIn } from './many.ts'
import type { SessionRow } from './rows.ts'
import { readMessagesAt } from './search.ts'
import { all, run, type Steps } from './steps.ts'

/** Work that is left because messages were edited after something had been made of them. */
export interface Corrections {
  /** Messages that segments still tell of in their old form, in the order of their newest edits. */
  readonly told: readonly number[]
  /** Messages that user or scope memory has to read again. */
  readonly unlearned: readonly number[]
  /** How many attempts in a row to make a segment again have failed. */
  readonly failures: number
}

const NONE: Corrections = { told: [], unlearned: [], failures: 0 }

/**
 * If there are more, segments over the oldest are made again all the same, but contexts no longer show these
 * corrections.
 */
const MAX_TOLD = 500
/** If there are more, the extraction goes back to the oldest. */
const MAX_UNLEARNED = 200

export function correctionsOf({ corrections }: Pick<SessionRow, 'corrections'>): Corrections {
  return corrections === null ? NONE : { ...NONE, ...JSON.parse(corrections) }
}

/** Returns the corrections as they are stored. */
function* writeCorrections(session: SessionRow, corrections: Corrections): Steps<string | null> {
  const { told, unlearned, failures } = corrections
  const text = told.length + unlearned.length + failures === 0 ? null : JSON.stringify(corrections)
  if (text !== session.corrections)
    yield* run('UPDATE sessions SET corrections = ?2 WHERE id = ?1', session.id, text)
  return text
}

/**
 * Segments that tell of a message as it was before an edit. A provisional one stays provisional, so that the
 * next fold takes in its messages again. A segment that has said nothing since an erasure tells of no
 * message.
 */
const OUTDATED = `((state = 'dirty' OR withheld < 0) AND withheld <= 0)`
/** `from_seq > 0` is always true. With it SQLite uses the index of the marked segments, which are few. */
const FIND_OUTDATED = `FROM segments WHERE session_id = ?1 AND from_seq > 0 AND ${OUTDATED}`

const MARK = `UPDATE segments SET
    withheld = CASE WHEN state = 'provisional' THEN -1 ELSE 0 END,
    state = CASE WHEN state = 'provisional' THEN state ELSE 'dirty' END
  WHERE session_id = ?1 AND withheld < 2 AND (window_messages IS NULL OR window_messages <> '[]')`

/**
 * Rolled-up segments too: a rollback may show them again, and segments above are made of them. Returns
 * whether any segment was marked.
 */
export function* markOutdated(session: SessionRow, seq: number): Steps<boolean> {
  const over = yield* all(`${MARK} AND from_seq <= ?2 AND to_seq >= ?2 RETURNING id`, session.id, seq)
  // Windows whose maker had read this message.
  const after = yield* all(
    `${MARK} AND window_through >= ?2 AND window_through IS NOT NULL AND from_seq <= ?2 AND to_seq < ?2 RETURNING id`,
    session.id,
    seq,
  )
  return over.length + after.length > 0
}

/** A segment over segments that are outdated is outdated, too. */
export function* inheritOutdated(session: SessionRow, id: number, lower: readonly number[]): Steps<void> {
  const outdated = yield* allIn<{ id: number }>(
    `SELECT id FROM segments WHERE session_id = ?1 AND ${OUTDATED} AND id IN (*)`,
    [session.id],
    lower,
  )
  if (outdated.length > 0) yield* run(`${MARK} AND id = ?2`, session.id, id)
}

export interface NewCorrection {
  readonly seq: number
  readonly isTold: boolean
  readonly isUnlearned: boolean
  /**
   * When the segments are made again, unless an earlier time is set already. Then further edits become part
   * of that.
   */
  readonly rebuildAt: number
}

/** Returns the times that hold now. A time that was not needed is left out. */
export function* noteCorrection(
  session: SessionRow,
  { seq, isTold, isUnlearned, rebuildAt }: NewCorrection,
): Steps<{ readonly rebuildAt?: number; readonly extractAt?: number }> {
  if (!isTold && !isUnlearned) return {}
  const { told, unlearned, failures } = correctionsOf(session)
  const again = isUnlearned ? [...unlearned.filter(each => each !== seq), seq] : unlearned
  const isTooMany = again.length > MAX_UNLEARNED
  yield* writeCorrections(session, {
    told: isTold ? [...told.filter(each => each !== seq), seq].slice(-MAX_TOLD) : told,
    unlearned: isTooMany ? [] : again,
    failures,
  })
  const earlier = (at: number | null) => (at === null ? rebuildAt : Math.min(at, rebuildAt))
  const times = {
    ...(isTold && { rebuildAt: earlier(session.rebuild_at) }),
    ...(isUnlearned && { extractAt: earlier(session.extract_at) }),
  }
  yield* run(
    'UPDATE sessions SET rebuild_at = ?2, extract_at = ?3, extracted_through = ?4 WHERE id = ?1',
    session.id,
    times.rebuildAt ?? session.rebuild_at,
    times.extractAt ?? session.extract_at,
    isTooMany
      ? Math.min(session.extracted_through, ...again.map(each => each - 1))
      : session.extracted_through,
  )
  return times
}

interface OutdatedPlace {
  readonly from_seq: number
  readonly to_seq: number
  readonly window_through: number | null
}

/**
 * A correction is told until no segment tells of the message as it was. Call this where an epoch begins:
 * contexts keep room for corrections while there are any.
 */
export function* settleCorrections(session: SessionRow): Steps<void> {
  if (session.rebuild_at === null && session.corrections === null) return
  const places = yield* all<OutdatedPlace>(
    `SELECT from_seq, to_seq, window_through ${FIND_OUTDATED}`,
    session.id,
  )
  const { told, unlearned } = correctionsOf(session)
  const left = told.filter(seq =>
    places.some(
      ({ from_seq, to_seq, window_through }) =>
        from_seq <= seq && seq <= Math.max(to_seq, window_through ?? 0),
    ),
  )
  yield* writeCorrections(session, { told: left, unlearned, failures: 0 })
  if (places.length === 0) yield* run('UPDATE sessions SET rebuild_at = NULL WHERE id = ?1', session.id)
}

/** These messages were read again. Returns the rest as it is stored. */
export function* noteRelearned(session: SessionRow, seqs: readonly number[]): Steps<string | null> {
  const corrections = correctionsOf(session)
  const unlearned = corrections.unlearned.filter(seq => !seqs.includes(seq))
  return yield* writeCorrections(session, { ...corrections, unlearned })
}

export function* noteRebuildFailure(session: SessionRow, retryAt: number): Steps<void> {
  const corrections = correctionsOf(session)
  yield* writeCorrections(session, { ...corrections, failures: corrections.failures + 1 })
  yield* run('UPDATE sessions SET rebuild_at = ?2 WHERE id = ?1', session.id, retryAt)
}

/**
 * The first outdated segment. It comes before segments that stand for it, because those have higher ids.
 * `null`: there is none.
 */
export function* firstOutdated(session: SessionRow): Steps<number | null> {
  const rows = yield* all<{ id: number }>(`SELECT id ${FIND_OUTDATED}`, session.id)
  return rows.reduce<number | null>((first, { id }) => Math.min(first ?? id, id), null)
}

export function* isOutdated(session: SessionRow, id: number): Steps<boolean> {
  const rows = yield* all(
    `SELECT id FROM segments WHERE session_id = ?1 AND id = ?2 AND ${OUTDATED}`,
    session.id,
    id,
  )
  return rows.length > 0
}

/**
 * A copy gets the corrections of the original: for the messages that it has, and, where it also has the
 * segments, the work on them.
 */
export function* copyCorrections(
  origin: SessionRow,
  copy: SessionRow,
  { seq: through, lastSegment }: { readonly seq: number; readonly lastSegment: number },
): Steps<void> {
  const { told, unlearned } = correctionsOf(origin)
  const isHere = (seq: number) => seq <= through
  yield* writeCorrections(copy, {
    told: lastSegment === 0 ? [] : told.filter(isHere),
    unlearned: unlearned.filter(isHere),
    failures: 0,
  })
  yield* run(
    'UPDATE sessions SET rebuild_at = ?2, extract_at = ?3 WHERE id = ?1',
    copy.id,
    lastSegment === 0 ? null : origin.rebuild_at,
    unlearned.some(isHere) ? origin.extract_at : null,
  )
}

/** From a file: the corrections that its segments wait for. They are due at once. */
export function* importCorrections(
  session: SessionRow,
  corrected: readonly number[],
  now: number,
): Steps<void> {
  const [outdated] = yield* all(`SELECT id ${FIND_OUTDATED} LIMIT 1`, session.id)
  if (!outdated && corrected.length === 0) return
  yield* writeCorrections(session, { told: corrected.slice(-MAX_TOLD), unlearned: [], failures: 0 })
  yield* run('UPDATE sessions SET rebuild_at = ?2 WHERE id = ?1', session.id, now)
}

/** A context has no room for more. */
const MAX_SHOWN = 20

/** The newest corrections of visible messages, the newest last. */
export function* readCorrected(session: SessionRow): Steps<readonly Message[]> {
  // No context tells of what lies before a new beginning, so there is nothing to correct.
  const isBehind = (seq: number) => seq <= session.begins_after
  const newest = correctionsOf(session)
    .told.filter(seq => !isBehind(seq))
    .slice(-MAX_SHOWN)
  if (newest.length === 0) return []
  const messages = yield* readMessagesAt(session, newest)
  return messages.toSorted((one, other) => newest.indexOf(one.seq) - newest.indexOf(other.seq))
}
