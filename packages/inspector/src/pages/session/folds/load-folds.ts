import { readFolds } from '../../../api/index.ts'
import type { Fold } from '../../../api/types.ts'

export interface LoadedFolds {
  /** Newest first. */
  readonly folds: readonly Fold[]
  /** Where the older ones begin; `null`: these are all. */
  readonly next: string | null
}

const AT_A_TIME = 200
/** As many as a curve can show. */
const MAX_LOADED = 1_000

/** The newest folds; of those that are known already, none is asked for again. */
export async function loadFolds(
  id: string,
  known: LoadedFolds | null,
  signal: AbortSignal,
): Promise<LoadedFolds> {
  const newest = known?.folds[0]?.id
  const folds: Fold[] = []
  let next: string | null = null
  do {
    const page = await readFolds(id, { limit: AT_A_TIME, ...(next !== null && { before: next }) }, { signal })
    const place = page.folds.findIndex(fold => fold.id === newest)
    if (known !== null && place >= 0)
      return { folds: [...folds, ...page.folds.slice(0, place), ...known.folds], next: known.next }
    folds.push(...page.folds)
    next = page.next
  } while (next !== null && folds.length < MAX_LOADED)
  return { folds, next }
}

export async function loadOlder(id: string, { folds, next }: LoadedFolds): Promise<LoadedFolds> {
  if (next === null) return { folds, next }
  const page = await readFolds(id, { limit: AT_A_TIME, before: next })
  return { folds: [...folds, ...page.folds], next: page.next }
}
