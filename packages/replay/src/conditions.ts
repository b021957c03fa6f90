import { GROUP_TURN_MESSAGES } from 'palimpsest/internals/log/index'
import { contextBudget, type Policy } from 'palimpsest/internals/policy/index'
import type { Assumptions } from './comparison.ts'
import { PRICE_PRESETS } from './prices/presets.ts'
import type { Prices } from './prices/prices.ts'

/** Under what a conversation is replayed, beside the policy. */
export interface ReplayConditions {
  readonly prices: Prices
  readonly summarizerPrices: Prices
  readonly assumptions: Assumptions
}

export interface ConditionOptions {
  /** The default: those of `claude-haiku-4-5`. */
  readonly prices?: Prices
  /** Of the model that writes the summaries. The default: the same. */
  readonly summarizerPrices?: Prices
  /** Tokens of instructions and tools. The default: 1,000, or an eighth of a small budget. */
  readonly overheadTokens?: number
  /** The default: simulated. */
  readonly summarizer?: Assumptions['summarizer']
  /** How much of its source a simulated summary keeps. The default: 0.2. */
  readonly summaryRatio?: number
  /** The default: one for each reply; in `compare`, where nobody replies, one after every 12 messages. */
  readonly calls?: Assumptions['calls']
  /** The default: none. */
  readonly extraction?: Assumptions['extraction']
}

/** By name, for those who check what they are given. */
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

/** It leaves room for the conversation in the smallest of the budgets. */
function usualOverhead(policies: readonly Policy[]): number {
  const budgets = policies.map(policy => contextBudget(policy)?.tokens ?? Number.POSITIVE_INFINITY)
  return Math.min(DEFAULT_OVERHEAD_TOKENS, Math.floor(Math.min(...budgets) / 8))
}
