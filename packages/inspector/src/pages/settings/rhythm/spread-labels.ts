/**
 * Moves labels apart, from the top down, until none overlaps another. Those at the bottom push the others up.
 */
export function spreadLabels(
  wanted: readonly number[],
  { spacing, top, bottom }: { readonly spacing: number; readonly top: number; readonly bottom: number },
): readonly number[] {
  const places: number[] = []
  for (const place of wanted) places.push(Math.max(place, (places.at(-1) ?? top - spacing) + spacing))
  let limit = bottom
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = Math.min(places[index]!, limit)
    limit = places[index]! - spacing
  }
  return places
}
