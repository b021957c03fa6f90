/**
 * A list that is read anew, in the order in which it is shown: whoever points at a row, or has the focus on one, finds
 * it where it was. What is new waits, and what is no longer among them stays as it was last seen.
 */
export function keepOrder<Item extends { readonly id: string }>(
  shown: readonly Item[],
  read: readonly Item[],
): readonly Item[] {
  const newest = new Map(read.map(item => [item.id, item]))
  return shown.map(item => newest.get(item.id) ?? item)
}
