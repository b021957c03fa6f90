import type { Run } from '../comparison.ts'

/** What percentages compare with, as the headline does: the cheapest policy; without one, the cheapest run. */
export function referenceCost(runs: readonly Run[]): number {
  const policies = runs.filter(run => run.kind === 'policy')
  return Math.min(...(policies.length > 0 ? policies : runs).map(run => run.cost.total))
}
