/** The fields of a segment that a roll-up uses. */
export interface RollUpSegment {
  readonly level: number
  readonly tokensAfter: number
}

/** Neighbouring segments that become one. */
export interface RollUp {
  readonly from: number
  readonly count: number
}

/** So few that one summary can hold the main points of each. */
const MAX_AT_ONCE = 3

/**
 * Chooses the segments to condense into one of the next level, so that all together always stay within the
 * limit. `null`: they are within it.
 *
 * It takes the oldest two or three of the longest run of one level. So each level keeps few segments, and a
 * higher level covers several times as many messages. A message is summarised again only a few times in its
 * life, not with every fold.
 */
export function chooseRollUp(segments: readonly RollUpSegment[], limitTokens: number): RollUp | null {
  const total = segments.reduce((sum, segment) => sum + segment.tokensAfter, 0)
  if (total <= limitTokens) return null
  const runs = runsOfOneLevel(segments)
  const longest = runs.reduce((best, run) => (run.count > best.count ? run : best))
  if (longest.count >= 2) return { from: longest.from, count: Math.min(MAX_AT_ONCE, longest.count) }
  return { from: 0, count: Math.min(2, segments.length) }
}

/** Runs of neighbours of one level, oldest first. */
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
