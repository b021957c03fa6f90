import type { ReplayAnswer, ReplayCost, ReplayTokens } from '../../../api/types.ts'

/** The costs of one kind of memory in one replayed conversation. */
export interface CostFigures {
  readonly perTurn: number
  readonly perThousandTurns: number
  /** From 0 to 1. */
  readonly cachedShare: number
  readonly meanContext: number
  readonly peakContext: number
  /** Calls of a model for anything but replies: summaries, memos, extraction. */
  readonly summariserCalls: number
}

export function costFigures(
  { cost, tokens }: { readonly cost: ReplayCost; readonly tokens: ReplayTokens },
  turns: number,
): CostFigures {
  const perTurn = cost.total / Math.max(1, turns)
  return {
    perTurn,
    perThousandTurns: perTurn * 1000,
    cachedShare: tokens.cachedShare,
    meanContext: tokens.meanContext,
    peakContext: tokens.peakContext,
    summariserCalls: Object.entries(cost.calls).reduce(
      (sum, [kind, { calls }]) => (kind === 'reply' ? sum : sum + calls),
      0,
    ),
  }
}

/** How many times as much it costs to send everything each time. */
export function timesAsMuch({ cost, baseline }: Pick<ReplayAnswer, 'cost' | 'baseline'>): number {
  return cost.total > 0 ? baseline.cost.total / cost.total : 1
}
