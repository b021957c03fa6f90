import type { Policy } from './policy.ts'

/** How large segments may become. */
export interface SegmentLimits {
  /** All segments in a context together. */
  readonly totalTokens: number
  /** One segment that stands for other segments, with its dates and details. */
  readonly condensedTokens: number
  /** A summary keeps this share of its source, within the bounds below. */
  readonly summaryShare: number
  readonly leastSummaryTokens: number
  readonly mostSummaryTokens: number
  /** A shorter source is kept word for word, without a call, until more has come. */
  readonly verbatimBelowTokens: number
}

/** More would not help: old decisions are better found by a search. */
const MAX_TOTAL_TOKENS = 6_000
const DEFAULT_TOTAL_TOKENS = 3_000
const SHARE_OF_BUDGET = 0.25
const MIN_ROOM_TOKENS = 400
/** Recent messages are told at length. Condensed segments leave room for several levels of a few each. */
const NEW_SEGMENTS = 4
const CONDENSED_SEGMENTS = 6
/** In a small context, fewer segments are better than segments too short to say anything. */
const MIN_NEW_TOKENS = 160
const MIN_CONDENSED_TOKENS = 100
/** The summary's share of a segment. The rest is for its dates and details. */
const SUMMARY_SHARE_OF_SEGMENT = 0.65

/**
 * A summary takes at most this share of a short source. With its heading, dates and details it is still
 * smaller than the source.
 */
const MAX_OF_SOURCE = 0.5

/** Below this size, a call costs more than it saves. docs/folding.md has the figures. */
export const DEFAULT_VERBATIM_BELOW_TOKENS = 150

/** Far above the size of a segment, which is the real bound. */
export const MAX_VERBATIM_BELOW_TOKENS = 100_000

/**
 * All segments together stay within a quarter of what the budget, if there is one, leaves for the
 * conversation.
 */
export function segmentLimits(policy: Policy, overheadTokens = 0): SegmentLimits {
  const budget = policy.rules.find(rule => rule.reason === 'max_tokens')?.limit
  const room = budget === undefined ? null : Math.max(MIN_ROOM_TOKENS, budget - overheadTokens)
  const share = room === null ? DEFAULT_TOTAL_TOKENS : Math.floor(Math.min(budget!, room) * SHARE_OF_BUDGET)
  const totalTokens = Math.min(MAX_TOTAL_TOKENS, share)
  const segmentTokens = Math.max(
    Math.floor(totalTokens / NEW_SEGMENTS),
    Math.min(Math.floor(totalTokens / 2), MIN_NEW_TOKENS),
  )
  const mostSummaryTokens = Math.floor(segmentTokens * SUMMARY_SHARE_OF_SEGMENT)
  return {
    totalTokens,
    condensedTokens: Math.max(
      Math.floor(totalTokens / CONDENSED_SEGMENTS),
      Math.min(Math.floor(totalTokens / 2.5), MIN_CONDENSED_TOKENS),
    ),
    summaryShare: 0.2,
    leastSummaryTokens: Math.min(120, mostSummaryTokens),
    mostSummaryTokens,
    verbatimBelowTokens: Math.min(policy.verbatimBelowTokens ?? DEFAULT_VERBATIM_BELOW_TOKENS, segmentTokens),
  }
}

/** The most tokens of a summary of such a source. */
export function summaryTokens(sourceTokens: number, limits: SegmentLimits): number {
  const share = Math.ceil(sourceTokens * limits.summaryShare)
  const wanted = Math.min(limits.mostSummaryTokens, Math.max(limits.leastSummaryTokens, share))
  return Math.max(1, Math.min(wanted, Math.floor(sourceTokens * MAX_OF_SOURCE)))
}
