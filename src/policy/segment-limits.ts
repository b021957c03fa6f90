import type { Policy } from './policy.ts'

/** How large segments may become. */
export interface SegmentLimits {
  /** All that stand in a context, together. */
  readonly totalTokens: number
  /** A summary keeps this share of its source, within bounds. */
  readonly summaryShare: number
  readonly leastSummaryTokens: number
  readonly mostSummaryTokens: number
  /** A source below this is kept as it is, without a call. */
  readonly verbatimBelowTokens: number
}

const TOTAL_TOKENS = 2_000
const SHARE_OF_BUDGET = 0.25

/** The sum of all segments stays within a quarter of the budget, where there is one. */
export function segmentLimits(policy: Policy): SegmentLimits {
  const budget = policy.rules.find(rule => rule.reason === 'max_tokens')?.limit ?? Infinity
  const totalTokens = Math.min(TOTAL_TOKENS, Math.floor(budget * SHARE_OF_BUDGET))
  return {
    totalTokens,
    summaryShare: 0.2,
    leastSummaryTokens: Math.min(120, totalTokens),
    mostSummaryTokens: Math.min(800, Math.floor(totalTokens / 2)),
    verbatimBelowTokens: Math.min(300, Math.floor(totalTokens / 4)),
  }
}

/** What the summary of such a source may take. */
export function summaryTokens(sourceTokens: number, limits: SegmentLimits): number {
  const share = Math.ceil(sourceTokens * limits.summaryShare)
  return Math.min(limits.mostSummaryTokens, Math.max(limits.leastSummaryTokens, share))
}
