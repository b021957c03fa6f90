/**
 * The height of a stratum shows its tokens, about one pixel each. It is a whole number of lines, so that no
 * line is cut, at least one, and at most as many as fit on a screen.
 */
const LINE_PX = 24
const MAX_LINES = 20
const PADDING_PX = 10

/** In tokens. The head of a segment needs a line or two. */
const MIN_OF_SEGMENT = 60

export function heightOfTokens(tokens: number): number {
  return PADDING_PX + LINE_PX * Math.min(MAX_LINES, Math.max(1, Math.round(tokens / LINE_PX)))
}

export function heightOfSegment({ tokensAfter }: { readonly tokensAfter: number }): number {
  return heightOfTokens(Math.max(tokensAfter, MIN_OF_SEGMENT))
}
