import type { ContextAnswer, Fold } from '../../../api/types.ts'
import { type ContextComparison, compareContexts } from './compare-contexts.ts'

/** What has changed in the context since the last one was shown. */
export interface SinceShown extends ContextComparison {
  /** The folds in between, newest first. */
  readonly folds: readonly Fold[]
}

interface Shown {
  readonly context: ContextAnswer
  readonly folds: readonly Fold[]
  readonly since: SinceShown | null
}

/** Kept while the page is open. */
const shownBefore = new Map<string, Shown>()
const MAX_KEPT = 20

/**
 * Compares a context with the last one shown under that name, and stores it in its place. If nothing changed,
 * the earlier comparison still holds.
 */
export function compareWithShown(
  name: string,
  context: ContextAnswer,
  folds: readonly Fold[],
): SinceShown | null {
  const before = shownBefore.get(name)
  const comparison = before && compareContexts(before.context, context)
  const since =
    before === undefined || comparison === undefined
      ? null
      : comparison.change === 'same'
        ? before.since
        : { ...comparison, folds: newFolds(before.folds, folds) }
  shownBefore.delete(name)
  shownBefore.set(name, { context, folds, since })
  const [oldest] = shownBefore.keys()
  if (shownBefore.size > MAX_KEPT && oldest !== undefined) shownBefore.delete(oldest)
  return since
}

function newFolds(before: readonly Fold[], now: readonly Fold[]): readonly Fold[] {
  const known = new Set(before.map(({ id }) => id))
  return now.filter(({ id, outcome }) => outcome === 'applied' && !known.has(id))
}
