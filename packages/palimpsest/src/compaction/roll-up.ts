/** What a roll-up looks at in a segment. */
export interface RollUpSegment {
  readonly level: number
  readonly tokensAfter: number
}

/** Neighbours that become one. */
export interface RollUp {
  readonly from: number
  readonly count: number
}

/** Few enough that their summary can hold what matters of each. */
const MAX_AT_ONCE = 3

/**
 * Which segments to condense into one of the next level, so that all together stay within the limit for
 * ever; `null`: they do already.
 *
 * Of the level that has most of them the oldest two or three: so each level keeps a few, a higher one
 * covers several times as many messages, and a message is summarised again only a few times in its life,
 * not with every fold.
 */
export function chooseRollUp(segments: readonly RollUpSegment[], limitTokens: number): RollUp | null {
  const total = segments.reduce((sum, segment) => sum + segment.tokensAfter, 0)
  if (total <= limitTokens) return null
  const runs = runsOfOneLevel(segments)
  const longest = runs.reduce((best, run) => (run.count > best.count ? run : best))
  if (longest.count >= 2) return { from: longest.from, count: Math.min(MAX_AT_ONCE, longest.count) }
  return { from: 0, count: Math.min(2, segments.length) }
}

/** The oldest first. */
function runsOfOneLevel(segments: readonly RollUpSegment[]): RollUp[] {
  const runs: RollUp[] = []
  for (const [index, { level }] of segments.entries()) {
    const last = runs.at(-1)
    if (last !== undefined && segments[last.from]!.level === level)
      runs[runs.length - 1] = { ...last, count: last.count + 1 }
    else runs.push({ from: index, count: 1 })
  }
  return runs
}
