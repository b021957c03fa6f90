import { GROUP_TURN_MESSAGES } from 'palimpsest/internals/log/index'
import { contextBudget, type Policy } from 'palimpsest/internals/policy/index'
import type { Assumptions } from './comparison.ts'
import { PRICE_PRESETS } from './prices/presets.ts'
import type { Prices } from './prices/prices.ts'

/** The conditions of a replay, apart from the policy. */
export interface ReplayConditions {
  readonly prices: Prices
  readonly summarizerPrices: Prices
  readonly assumptions: Assumptions
}

export interface ConditionOptions {
  /** The default: the prices of `claude-haiku-4-5`. */
  readonly prices?: Prices
  /** The prices of the model that writes the summaries. The default: `prices`. */
  readonly summarizerPrices?: Prices
  /**
   * Tokens of instructions and tools. The default: 1,000, or an eighth of the smallest budget if that is
   * less.
   */
  readonly overheadTokens?: number
  /** The default: `simulated`. */
  readonly summarizer?: Assumptions['summarizer']
  /** The share of its source that a simulated summary keeps. The default: 0.2. */
  readonly summaryRatio?: number
  /**
   * The default: one request for each reply. In `compare`, a conversation without replies gets one after
   * every 12 messages.
   */
  readonly calls?: Assumptions['calls']
  /** The default: `none`. */
  readonly extraction?: Assumptions['extraction']
}

/** The names of the options, for a function that checks what its caller gives it. */
export const CONDITION_OPTIONS: Readonly<Record<keyof ConditionOptions, true>> = {
  prices: true,
  summarizerPrices: true,
  overheadTokens: true,
  summarizer: true,
  summaryRatio: true,
  calls: true,
  extraction: true,
}

export const DEFAULT_PRICES = 'claude-haiku-4-5'
export const DEFAULT_OVERHEAD_TOKENS = 1_000
export const DEFAULT_RATIO = 0.2
export const DEFAULT_KEEP_LAST = 40

export function conditionsOf(
  options: ConditionOptions,
  { hasReplies, policies }: { hasReplies: boolean; policies: readonly Policy[] },
): ReplayConditions {
  const prices = options.prices ?? PRICE_PRESETS[DEFAULT_PRICES]!
  const { summarizer = 'simulated', summaryRatio = DEFAULT_RATIO } = options
  return {
    prices,
    summarizerPrices: options.summarizerPrices ?? prices,
    assumptions: {
      overheadTokens: options.overheadTokens ?? usualOverhead(policies),
      summarizer,
      summaryRatio: summarizer === 'simulated' ? summaryRatio : null,
      calls: options.calls ?? (hasReplies ? 'replies' : GROUP_TURN_MESSAGES),
      extraction: options.extraction ?? 'none',
    },
  }
}

/** Leaves room for the conversation in the smallest of the policies' budgets. */
function usualOverhead(policies: readonly Policy[]): number {
  const budgets = policies.map(policy => contextBudget(policy)?.tokens ?? Number.POSITIVE_INFINITY)
  return Math.min(DEFAULT_OVERHEAD_TOKENS, Math.floor(Math.min(...budgets) / 8))
}
