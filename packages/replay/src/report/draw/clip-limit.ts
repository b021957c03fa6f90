import type { Run } from '../../comparison.ts'

/** A value that is so many times the typical one would squash all the others. */
const TOO_LARGE = 5

/**
 * Up to where an axis shows values: the largest of those that are not far beyond the typical ones. What lies
 * above is drawn as cut off, with its number.
 */
export function clipLimit(values: readonly number[], typicalOf: readonly number[] = values): number {
  const typical = lowerMedian(typicalOf.length > 0 ? typicalOf : values)
  const largest = Math.max(0, ...values)
  if (typical <= 0) return largest
  return Math.max(typical, ...values.filter(value => value <= typical * TOO_LARGE))
}

/** Policies are what the page compares, so they say what is typical; a baseline may be far dearer. */
export function costLimit(runs: readonly { readonly run: Run }[]): number {
  const policies = runs.filter(({ run }) => run.kind === 'policy')
  return clipLimit(
    runs.map(({ run }) => run.cost.total),
    policies.map(({ run }) => run.cost.total),
  )
}

/** Of two in the middle the lower: then at least half of the values stay readable. */
function lowerMedian(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b)
  return ordered[Math.floor((ordered.length - 1) / 2)] ?? 0
}
