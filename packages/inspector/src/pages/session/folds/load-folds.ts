import { readFolds } from '../../../api/index.ts'
import type { Fold } from '../../../api/types.ts'

export interface LoadedFolds {
  /** Newest first. */
  readonly folds: readonly Fold[]
  /** The cursor for older folds; `null`: there are none. */
  readonly next: string | null
}

const AT_A_TIME = 200
/** A curve can show at most this many. */
const MAX_LOADED = 1_000

/** Loads the newest folds, but none that is known already. */
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
