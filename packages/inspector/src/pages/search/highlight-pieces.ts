/** A stretch of a text. `isMarked`: the search found it. */
interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** Splits a text by pairs of from and to, which are marked. A pair outside the text marks nothing. */
export function highlightPieces(
  text: string,
  highlights: readonly (readonly [number, number])[],
): readonly Piece[] {
  const pieces: Piece[] = []
  let done = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > done) pieces.push({ text: text.slice(done, to), isMarked })
    done = Math.max(done, to)
  }
  for (const [from, to] of highlights.toSorted(([one], [other]) => one - other)) {
    add(Math.min(from, text.length), false)
    add(Math.min(to, text.length), true)
  }
  add(text.length, false)
  return pieces
}
