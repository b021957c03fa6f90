import type { Fold, GrowthPoint } from '../../../api/types.ts'

interface SizePoint {
  readonly seq: number
  readonly tokens: number
}

/** A fold on the curve: its place, and the size of the conversation before and after it. */
interface FoldMark {
  readonly fold: Fold
  readonly seq: number
  readonly before: number
  readonly after: number
}

export interface ContextSizes {
  /** By seq. A fold has two points with the same seq, so that the curve falls straight down. */
  readonly points: readonly SizePoint[]
  /** The folds that moved something, oldest first. */
  readonly marks: readonly FoldMark[]
}

export interface SizesKnown {
  /**
   * By segment: the tokens saved by condensing older segments into it, which may happen together with a fold.
   */
  readonly condensed?: ReadonlyMap<number, number>
  /**
   * The present size of the conversation. The folds may not explain all of it, if some condensing is not
   * known. The rest is spread evenly over the folds, so that the curve ends at the session's present size.
   */
  readonly endsAt?: number
  /**
   * There are older folds. Then the curve begins with the first known fold, at about the present size of the
   * conversation.
   */
  readonly hasOlder?: boolean
}

/**
 * The size of the conversation in a context, message by message: all of the log, without what the folds up to
 * then have saved.
 */
export function contextSizes(
  whole: readonly GrowthPoint[],
  folds: readonly Fold[],
  { condensed = new Map(), endsAt, hasOlder = false }: SizesKnown = {},
): ContextSizes {
  const applied = folds
    .flatMap(fold => {
      const seq = fold.throughSeq ?? fold.toSeq
      const moved = fold.outcome === 'applied' && fold.toSeq !== null
      return moved && seq !== null ? [{ fold, seq, saved: savedBy(fold, condensed) }] : []
    })
    .sort((one, other) => one.seq - other.seq || one.fold.at.localeCompare(other.fold.at))
  const firstSeq = hasOlder ? (applied[0]?.seq ?? 0) : 0
  const growth = whole.filter(({ seq }) => seq >= firstSeq)
  const savedEarlier = hasOlder && endsAt !== undefined ? Math.max(0, growthAt(whole, firstSeq) - endsAt) : 0
  const explained = applied.reduce((sum, { saved }) => sum + saved, savedEarlier)
  const unexplained = endsAt === undefined ? 0 : (whole.at(-1)?.tokens ?? 0) - explained - endsAt
  const savedBeside = applied.length === 0 ? 0 : unexplained / applied.length
  const points: SizePoint[] = []
  const marks: FoldMark[] = []
  let saved = savedEarlier
  let next = 0
  const sizeAt = (logTokens: number) => Math.max(0, Math.round(logTokens - saved))
  const foldUpTo = (seq: number) => {
    for (; next < applied.length && applied[next]!.seq <= seq; next += 1) {
      const each = applied[next]!
      const logTokens = growthAt(whole, each.seq)
      const before = sizeAt(logTokens)
      saved += each.saved + savedBeside
      const after = sizeAt(logTokens)
      const last = points.at(-1)
      if (last?.seq !== each.seq || last.tokens !== before) points.push({ seq: each.seq, tokens: before })
      points.push({ seq: each.seq, tokens: after })
      marks.push({ fold: each.fold, seq: each.seq, before, after })
    }
  }
  for (const point of growth) {
    foldUpTo(point.seq - 1)
    points.push({ seq: point.seq, tokens: sizeAt(point.tokens) })
    foldUpTo(point.seq)
  }
  return { points, marks }
}

function savedBy(
  { tokensBefore, tokensAfter, segmentIds }: Fold,
  condensed: ReadonlyMap<number, number>,
): number {
  const folded = tokensBefore === null || tokensAfter === null ? 0 : tokensBefore - tokensAfter
  return segmentIds.reduce((sum, id) => sum + (condensed.get(id) ?? 0), folded)
}

/** The points are a selection. Between two of them the log is assumed to grow evenly. */
function growthAt(growth: readonly GrowthPoint[], seq: number): number {
  let low = 0
  let high = growth.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (growth[middle]!.seq < seq) low = middle + 1
    else high = middle
  }
  const after = growth[low]
  const before = growth[low - 1]
  if (after === undefined) return before?.tokens ?? 0
  if (before === undefined || after.seq === seq) return after.tokens
  const share = (seq - before.seq) / (after.seq - before.seq)
  return before.tokens + share * (after.tokens - before.tokens)
}
