import type { Run } from '../../comparison.ts'

/** A value this many times the typical value would squash all the others. */
const TOO_LARGE = 5

/**
 * The largest value that an axis shows: the largest that is not far above the typical one. A value above it
 * is drawn as cut off, with its number.
 */
export function clipLimit(values: readonly number[], typicalOf: readonly number[] = values): number {
  const typical = lowerMedian(typicalOf.length > 0 ? typicalOf : values)
  const largest = Math.max(0, ...values)
  if (typical <= 0) return largest
  return Math.max(typical, ...values.filter(value => value <= typical * TOO_LARGE))
}

/** The page compares policies, so their costs say what is typical. A baseline may cost far more. */
export function costLimit(runs: readonly { readonly run: Run }[]): number {
  const policies = runs.filter(({ run }) => run.kind === 'policy')
  return clipLimit(
    runs.map(({ run }) => run.cost.total),
    policies.map(({ run }) => run.cost.total),
  )
}

/** Of two values in the middle it takes the lower. Then at least half of the values stay readable. */
function lowerMedian(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b)
  return ordered[Math.floor((ordered.length - 1) / 2)] ?? 0
}
