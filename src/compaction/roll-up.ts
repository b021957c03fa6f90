/** What a roll-up looks at in a segment. */
export interface RollUpSegment {
  readonly tokensAfter: number
}

/** A condensed segment is assumed to keep so much of what it stands for. */
export const CONDENSED_SHARE = 0.35
/** How far below the limit a roll-up goes, so that the next one is a while away. */
const ROOM_AFTERWARDS = 0.75

/**
 * How many of the oldest segments to condense into one, so that all together stay within the limit for
 * ever. 0: they do already.
 */
export function countToRollUp(segments: readonly RollUpSegment[], limitTokens: number): number {
  const total = segments.reduce((sum, segment) => sum + segment.tokensAfter, 0)
  if (total <= limitTokens || segments.length < 2) return 0
  let condensed = 0
  for (const [index, segment] of segments.entries()) {
    condensed += segment.tokensAfter
    const left = total - condensed + condensed * CONDENSED_SHARE
    if (index >= 1 && left <= limitTokens * ROOM_AFTERWARDS) return index + 1
  }
  return segments.length
}
