/**
 * A stratum is as high as its tokens, about a pixel each: in whole lines, so that none is cut through, at least one,
 * and at most what fits on a screen.
 */
const LINE_PX = 24
const MAX_LINES = 20
const PADDING_PX = 10

/** The head of a segment takes a line or two of its own. */
const MIN_OF_SEGMENT = 60

export function heightOfTokens(tokens: number): number {
  return PADDING_PX + LINE_PX * Math.min(MAX_LINES, Math.max(1, Math.round(tokens / LINE_PX)))
}

export function heightOfSegment({ tokensAfter }: { readonly tokensAfter: number }): number {
  return heightOfTokens(Math.max(tokensAfter, MIN_OF_SEGMENT))
}
