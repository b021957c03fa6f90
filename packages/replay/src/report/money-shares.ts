import type { Run } from '../comparison.ts'
import type { Prices } from '../prices/prices.ts'

/** What a run's money is spent on, in the order in which a bar shows it. */
export const SHARES = ['input', 'cacheWrite', 'cachedInput', 'output', 'memory'] as const
export type Share = (typeof SHARES)[number]
export type MoneyShares = Readonly<Record<Share, number>>

export const SHARE_NAMES: Readonly<Record<Share, string>> = {
  input: 'Input at the full price',
  cacheWrite: 'Cache writes',
  cachedInput: 'Cached input',
  output: 'Replies’ output',
  memory: 'Summaries, memo, extraction',
}

/** The shares add up to the run's total. Where a cache write costs as much as input, it counts as input. */
export function moneyShares(run: Run, prices: Prices): MoneyShares {
  const { reply, summary, memo, extraction } = run.cost.calls
  const writeTokens = prices.cacheWrite === prices.input ? 0 : reply.cacheWriteTokens
  const byTokens = {
    input: Math.max(0, reply.inputTokens - reply.cachedTokens - writeTokens) * prices.input,
    cacheWrite: writeTokens * prices.cacheWrite,
    cachedInput: reply.cachedTokens * prices.cachedInput,
    output: reply.outputTokens * prices.output,
  }
  const sum = byTokens.input + byTokens.cacheWrite + byTokens.cachedInput + byTokens.output
  const part = (amount: number) => (sum > 0 ? (amount / sum) * reply.money : 0)
  return {
    input: sum > 0 ? part(byTokens.input) : reply.money,
    cacheWrite: part(byTokens.cacheWrite),
    cachedInput: part(byTokens.cachedInput),
    output: part(byTokens.output),
    memory: summary.money + memo.money + extraction.money,
  }
}
