/**
 * Updates a list but keeps its order on the screen. So a reader who points at a row, or has the focus on one,
 * finds it where it was. New items wait. An item that is no longer in the list stays as it was last seen.
 */
export function keepOrder<Item extends { readonly id: string }>(
  shown: readonly Item[],
  read: readonly Item[],
): readonly Item[] {
  const newest = new Map(read.map(item => [item.id, item]))
  return shown.map(item => newest.get(item.id) ?? item)
}
