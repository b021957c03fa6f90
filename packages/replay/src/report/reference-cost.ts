import type { Run } from '../comparison.ts'

/**
 * The cost that percentages are relative to, here and in the headline: the cheapest policy or, without one,
 * the cheapest run.
 */
export function referenceCost(runs: readonly Run[]): number {
  const policies = runs.filter(run => run.kind === 'policy')
  return Math.min(...(policies.length > 0 ? policies : runs).map(run => run.cost.total))
}
