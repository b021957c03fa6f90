import type { GrowthPoint } from '../store.ts'
import { readHead } from './head.ts'
import { allIn } from './many.ts'
import type { SessionRow } from './rows.ts'
import { all, type Steps } from './steps.ts'
import { AND_VISIBLE, type HiddenRange, type SeqRange } from './visible.ts'

/**
 * For a session with more ranges, everything above them is taken as visible. Fewer points are found there.
 */
const MAX_RANGES = 20_000

interface PointRow {
  readonly seq: number
  readonly at: number
  readonly total_tokens: number
}

/**
 * How a log has grown: the running totals of some of its visible messages. The first and the newest are
 * included.
 */
export function* readGrowth(session: SessionRow, points: number): Steps<readonly GrowthPoint[]> {
  const head = yield* readHead(session)
  if (head === null) return []
  const hidden =
    session.hidden_through === 0
      ? []
      : yield* all<HiddenRange>(
          `SELECT from_seq, to_seq FROM hidden_ranges
           WHERE session_id = ?1 AND from_seq <= ?2 ORDER BY from_seq LIMIT ?3`,
          session.id,
          head.seq,
          MAX_RANGES,
        )
  const rows = yield* allIn<PointRow>(
    `SELECT seq, at, total_tokens FROM messages
     WHERE session_id = ?1 AND seq IN (*) ${hidden.length > 0 ? AND_VISIBLE : ''}`,
    [session.id],
    spread(visibleRanges(hidden, head.seq), points),
  )
  return rows
    .toSorted((one, other) => one.seq - other.seq)
    .map(row => ({ seq: row.seq, at: new Date(row.at), tokens: row.total_tokens }))
}

/** The ranges between the hidden ones, up to the newest visible message. */
function visibleRanges(hidden: readonly HiddenRange[], last: number): readonly SeqRange[] {
  const ranges: SeqRange[] = []
  let after = 0
  for (const { from_seq, to_seq } of hidden) {
    if (from_seq - 1 > after) ranges.push({ after, through: from_seq - 1 })
    after = to_seq
  }
  if (last > after) ranges.push({ after, through: last })
  return ranges
}

/** Chooses `points` messages at equal distances. The first and the last are among them. */
function spread(ranges: readonly SeqRange[], points: number): readonly number[] {
  const count = ranges.reduce((sum, range) => sum + sizeOf(range), 0)
  const chosen = Math.min(points, count)
  const seqs: number[] = []
  let [range, before] = [0, 0]
  for (let index = 0; index < chosen; index += 1) {
    const place = Math.round((index * (count - 1)) / Math.max(1, chosen - 1))
    for (; place - before >= sizeOf(ranges[range]!); range += 1) before += sizeOf(ranges[range]!)
    seqs.push(ranges[range]!.after + 1 + place - before)
  }
  return seqs
}

function sizeOf({ after, through }: SeqRange): number {
  return through - after
}
