import type { Pace } from 'palimpsest/internals/finding/pace'
import { type InSteps, runInSlices } from 'palimpsest/internals/slices'

/** The same as `map`, but that nobody else has to wait for the end of it. */
export async function inPieces<Item, Result>(
  items: readonly Item[],
  pace: Pace,
  toResult: (item: Item) => InSteps<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) {
    await pace.keep()
    results.push(await runInSlices(toResult(item)))
  }
  return results
}
