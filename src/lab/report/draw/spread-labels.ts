/** Moves labels apart so that they stand at least `gap` from each other and, if they fit, within the range. */
export function spreadLabels(
  wanted: readonly number[],
  gap: number,
  [top, bottom]: readonly [number, number],
): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]!)
  const placed = [...wanted]
  let free = top
  for (const index of order) {
    placed[index] = Math.max(wanted[index]!, free)
    free = placed[index]! + gap
  }
  let limit = bottom
  for (const index of order.toReversed()) {
    if (placed[index]! <= limit) break
    placed[index] = limit
    limit -= gap
  }
  return placed
}
