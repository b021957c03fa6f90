import type { SessionRow } from './rows.ts'
import { all, first, type Row, type Steps } from './steps.ts'

interface HiddenRange {
  readonly from_seq: number
  readonly to_seq: number
}

export interface SeqRange {
  /** Above this. */
  readonly after: number
  /** Up to and including this. */
  readonly through: number
}

/**
 * Visits the stretches of visible messages in a range, from either end: it jumps over what a rollback
 * hid instead of reading it. `visit` answers whether it has seen enough.
 */
export function* visitVisible(
  session: SessionRow,
  range: SeqRange,
  from: 'oldest' | 'newest',
  visit: (stretch: SeqRange) => Steps<boolean>,
): Steps<void> {
  let { after, through } = range
  while (after < through) {
    const hidden = yield* nextHidden(session, { after, through }, from)
    if (from === 'oldest') {
      const stretch = { after, through: hidden ? hidden.from_seq - 1 : through }
      if (stretch.after < stretch.through && (yield* visit(stretch))) return
      after = hidden ? hidden.to_seq : through
    } else {
      const stretch = { after: hidden ? Math.max(after, hidden.to_seq) : after, through }
      if (stretch.after < stretch.through && (yield* visit(stretch))) return
      through = hidden ? hidden.from_seq - 1 : after
    }
  }
}

function* nextHidden(
  session: SessionRow,
  { after, through }: SeqRange,
  from: 'oldest' | 'newest',
): Steps<HiddenRange | undefined> {
  if (session.hidden_through <= after) return undefined
  if (from === 'newest')
    return yield* first<HiddenRange>(
      `SELECT from_seq, to_seq FROM hidden_ranges
       WHERE session_id = ?1 AND from_seq <= ?2 AND to_seq > ?3 ORDER BY from_seq DESC LIMIT 1`,
      session.id,
      through,
      after,
    )
  // The ranges do not overlap: the last one that begins at or below `after` is the only one that can reach past it.
  const around = yield* first<HiddenRange>(
    `SELECT from_seq, to_seq FROM hidden_ranges
     WHERE session_id = ?1 AND from_seq <= ?2 ORDER BY from_seq DESC LIMIT 1`,
    session.id,
    after + 1,
  )
  if (around && around.to_seq > after) return around
  return yield* first<HiddenRange>(
    `SELECT from_seq, to_seq FROM hidden_ranges
     WHERE session_id = ?1 AND from_seq > ?2 AND from_seq <= ?3 ORDER BY from_seq LIMIT 1`,
    session.id,
    after + 1,
    through,
  )
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
  yield* visitVisible(session, range, from, function* (stretch) {
    const found = yield* all<R>(
      `SELECT ${columns} FROM ${tables}
       WHERE session_id = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq ${direction} LIMIT ?4`,
      session.id,
      stretch.after,
      stretch.through,
      limit - rows.length,
    )
    for (const row of found) rows.push(row)
    return rows.length >= limit
  })
  return from === 'oldest' ? rows : rows.reverse()
}
