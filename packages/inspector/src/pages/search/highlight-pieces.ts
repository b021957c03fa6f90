/** A stretch of a text; `isMarked`: it is what was searched for. */
interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** A text in pieces, by the pairs of from and to that are to be marked. Pairs that fit nowhere mark nothing. */
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
