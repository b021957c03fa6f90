/** Moves labels apart. No label overlaps the next and, if all fit, all are within the range. */
export function spreadLabels(
  wanted: readonly number[],
  heights: readonly number[],
  [top, bottom]: readonly [number, number],
): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]!)
  const placed = [...wanted]
  let free = top
  for (const index of order) {
    placed[index] = Math.max(wanted[index]!, free)
    free = placed[index]! + heights[index]!
  }
  let limit = bottom
  for (const index of order.toReversed()) {
    if (placed[index]! + heights[index]! <= limit) break
    placed[index] = limit - heights[index]!
    limit = placed[index]!
  }
  return placed
}
