import type { Policy } from './policy.ts'

/** How large segments may become. */
export interface SegmentLimits {
  /** All that stand in a context, together. */
  readonly totalTokens: number
  /** A single one, with its dates and details. */
  readonly segmentTokens: number
  /** A summary keeps this share of its source, within bounds. */
  readonly summaryShare: number
  readonly leastSummaryTokens: number
  readonly mostSummaryTokens: number
  /** A source below this is kept as it is, without a call. */
  readonly verbatimBelowTokens: number
}

/** More helps nobody: what was decided years ago is better looked up. */
const MOST_TOTAL_TOKENS = 6_000
const USUAL_TOTAL_TOKENS = 3_000
const SHARE_OF_BUDGET = 0.25
/** So many segments have room, whatever they stand for: enough for several levels of a few each. */
const SEGMENTS = 6
/** Of a segment; its dates and details have the rest. */
const SUMMARY_SHARE_OF_SEGMENT = 0.65

/** The sum of all segments stays within a quarter of the budget, where there is one. */
export function segmentLimits(policy: Policy): SegmentLimits {
  const budget = policy.rules.find(rule => rule.reason === 'max_tokens')?.limit
  const share = budget === undefined ? USUAL_TOTAL_TOKENS : Math.floor(budget * SHARE_OF_BUDGET)
  const totalTokens = Math.min(MOST_TOTAL_TOKENS, share)
  const segmentTokens = Math.floor(totalTokens / SEGMENTS)
  const mostSummaryTokens = Math.floor(segmentTokens * SUMMARY_SHARE_OF_SEGMENT)
  return {
    totalTokens,
    segmentTokens,
    summaryShare: 0.2,
    leastSummaryTokens: Math.min(120, mostSummaryTokens),
    mostSummaryTokens,
    verbatimBelowTokens: Math.min(300, segmentTokens),
  }
}

/** What the summary of such a source may take. */
export function summaryTokens(sourceTokens: number, limits: SegmentLimits): number {
  const share = Math.ceil(sourceTokens * limits.summaryShare)
  return Math.min(limits.mostSummaryTokens, Math.max(limits.leastSummaryTokens, share))
}
