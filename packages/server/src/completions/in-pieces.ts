import type { Pace } from 'palimpsest/internals/finding/pace'
import { type InSteps, runInSlices } from 'palimpsest/internals/slices'

/** Like `map`, with pauses in between, so that other work of the process does not wait for the end. */
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
