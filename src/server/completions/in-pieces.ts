import type { Pace } from '../../finding/pace.ts'

/** The same as `map`, but that nobody else has to wait for the end of it. */
export async function inPieces<Item, Result>(
  items: readonly Item[],
  pace: Pace,
  toResult: (item: Item) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) {
    await pace.keep()
    results.push(toResult(item))
  }
  return results
}
