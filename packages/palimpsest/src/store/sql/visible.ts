import type { SessionRow } from './rows.ts'
import { all, first, type Row, type Steps } from './steps.ts'

export interface HiddenRange {
  readonly from_seq: number
  readonly to_seq: number
}

export interface SeqRange {
  /** Above this. */
  readonly after: number
  /** Up to and including this. */
  readonly through: number
}

/** A part of a range with few hidden messages, or none. */
export interface Span extends SeqRange {
  /** An extra condition for a query over its messages, so that the query finds visible ones only. */
  readonly andVisible: string
}

/**
 * For a query over messages of session `?1`. Hidden ranges do not overlap, so the last range that begins at
 * or below a message decides.
 */
export const AND_VISIBLE = `AND coalesce((SELECT h.to_seq FROM hidden_ranges h
  WHERE h.session_id = ?1 AND h.from_seq <= seq ORDER BY h.from_seq DESC LIMIT 1), 0) < seq`

/** A jump over this many messages is worth a query of its own. Fewer are read and left out. */
const WORTH_A_JUMP = 64
const RANGES_AT_A_TIME = 64

/**
 * Visits the visible messages of a range in spans, from either end. It jumps over what a rollback hid and
 * does not read it. Single erased messages may be very many; the query itself leaves them out. `visit`
 * returns whether it has seen enough.
 */
export function* visitVisible(
  session: SessionRow,
  range: SeqRange,
  from: 'oldest' | 'newest',
  visit: (span: Span) => Steps<boolean>,
): Steps<void> {
  let { after, through } = range
  while (after < through) {
    const hidden = yield* nextHidden(session, { after, through }, from)
    const jump = hidden.findIndex(({ from_seq, to_seq }) => to_seq - from_seq + 1 >= WORTH_A_JUMP)
    const isAll = jump === -1 && hidden.length < RANGES_AT_A_TIME
    const last = isAll ? undefined : hidden.at(jump)!
    const isPure = (jump === -1 ? hidden.length : jump) === 0
    const span =
      from === 'oldest'
        ? {
            after,
            through: last ? Math.min(through, jump === -1 ? last.to_seq : last.from_seq - 1) : through,
          }
        : { after: last ? Math.max(after, jump === -1 ? last.from_seq - 1 : last.to_seq) : after, through }
    const isEmpty = span.after >= span.through
    if (!isEmpty && (yield* visit({ ...span, andVisible: isPure ? '' : AND_VISIBLE }))) return
    if (from === 'oldest') after = last ? last.to_seq : through
    else through = last ? last.from_seq - 1 : after
  }
}

/** The next few hidden ranges, from either end. */
function* nextHidden(
  session: SessionRow,
  { after, through }: SeqRange,
  from: 'oldest' | 'newest',
): Steps<readonly HiddenRange[]> {
  if (session.hidden_through <= after) return []
  if (from === 'newest')
    return yield* all<HiddenRange>(
      `SELECT from_seq, to_seq FROM hidden_ranges
       WHERE session_id = ?1 AND from_seq <= ?2 AND to_seq > ?3 ORDER BY from_seq DESC LIMIT ?4`,
      session.id,
      through,
      after,
      RANGES_AT_A_TIME,
    )
  const around = yield* rangeAround(session, after + 1)
  const above = yield* all<HiddenRange>(
    `SELECT from_seq, to_seq FROM hidden_ranges
     WHERE session_id = ?1 AND from_seq > ?2 AND from_seq <= ?3 ORDER BY from_seq LIMIT ?4`,
    session.id,
    after + 1,
    through,
    RANGES_AT_A_TIME - (around ? 1 : 0),
  )
  return around ? [around, ...above] : above
}

/** The range that hides a message, if one does. */
export function* rangeAround({ id }: SessionRow, seq: number): Steps<HiddenRange | undefined> {
  const last = yield* first<HiddenRange>(
    `SELECT from_seq, to_seq FROM hidden_ranges
     WHERE session_id = ?1 AND from_seq <= ?2 ORDER BY from_seq DESC LIMIT 1`,
    id,
    seq,
  )
  return last && last.to_seq >= seq ? last : undefined
}

/**
 * How many messages of a range are visible, computed from the hidden ranges alone. A `seq` that is not in the
 * log always lies in one of them.
 */
export function* countVisible(session: SessionRow, { after, through }: SeqRange): Steps<number> {
  if (through <= after) return 0
  if (session.hidden_through <= after) return through - after
  const around = yield* rangeAround(session, after + 1)
  const begin = around ? around.to_seq : after
  if (begin >= through) return 0
  const last = yield* rangeAround(session, through)
  const end = last ? last.from_seq - 1 : through
  const row = yield* first<{ hidden: number }>(
    `SELECT CAST(coalesce(sum(to_seq - from_seq + 1), 0) AS BIGINT) AS hidden FROM hidden_ranges
     WHERE session_id = ?1 AND from_seq > ?2 AND from_seq <= ?3`,
    session.id,
    begin,
    end,
  )
  return end - begin - row!.hidden
}

/** Rows of visible messages in ascending order, at most `limit` of them, counted from the given end. */
export function* readVisible<R = Row>(
  session: SessionRow,
  {
    columns,
    tables,
    limit,
    from,
    ...range
  }: SeqRange & {
    columns: string
    tables: string
    limit: number
    from: 'oldest' | 'newest'
  },
): Steps<readonly R[]> {
  const rows: R[] = []
  const direction = from === 'oldest' ? 'ASC' : 'DESC'
  yield* visitVisible(session, range, from, function* (span) {
    const found = yield* all<R>(
      `SELECT ${columns} FROM ${tables}
       WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3 ${span.andVisible} ORDER BY seq ${direction} LIMIT ?4`,
      session.id,
      span.after,
      span.through,
      limit - rows.length,
    )
    for (const row of found) rows.push(row)
    return rows.length >= limit
  })
  return from === 'oldest' ? rows : rows.reverse()
}
