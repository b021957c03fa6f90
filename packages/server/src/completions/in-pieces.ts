import type { Pace } from '../../../palimpsest/src/finding/pace.ts'
import { type InSteps, runInSlices } from '../../../palimpsest/src/slices.ts'

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
