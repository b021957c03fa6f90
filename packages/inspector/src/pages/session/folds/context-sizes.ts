import type { Fold, GrowthPoint } from '../../../api/types.ts'

interface SizePoint {
  readonly seq: number
  readonly tokens: number
}

/** A fold on the curve: where it came, and what the conversation took before and after it. */
interface FoldMark {
  readonly fold: Fold
  readonly seq: number
  readonly before: number
  readonly after: number
}

export interface ContextSizes {
  /** By seq; at a fold there are two of the same seq, so that the curve falls straight down. */
  readonly points: readonly SizePoint[]
  /** Of the folds that moved something, oldest first. */
  readonly marks: readonly FoldMark[]
}

export interface SizesKnown {
  /** By segment: what was saved by condensing older segments into it, as happens along with a fold. */
  readonly condensed?: ReadonlyMap<number, number>
  /**
   * What the conversation takes now. What the folds do not explain of it (condensing of which nothing is known) is
   * laid evenly on them, so that the curve ends where the session stands.
   */
  readonly endsAt?: number
  /** There are older folds: then the curve begins with the first of these, at about its present size. */
  readonly hasOlder?: boolean
}

/**
 * What the conversation took in a context, message by message: all of the log, less what the folds up to then had
 * saved.
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

/** The points are a selection: between two of them the log grows evenly, as far as can be told. */
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
