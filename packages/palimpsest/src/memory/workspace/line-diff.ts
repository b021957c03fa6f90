/** A change: `lines` replace the lines from `start` up to `end`. */
export interface Hunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Longer texts are not compared in this way, since it takes time and memory for each pair of lines. */
export const MAX_LINES = 4_000

/**
 * The changes that lead from one list of lines to the other, in order. At least one line stays between two
 * changes.
 */
export function diffLines(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = []
  let [start, from] = [0, 0]
  const close = (end: number, to: number) => {
    if (end > start || to > from) hunks.push({ start, end, lines: after.slice(from, to) })
  }
  for (const [same, sameAfter] of commonLines(before, after)) {
    close(same, sameAfter)
    start = same + 1
    from = sameAfter + 1
  }
  close(before.length, after.length)
  return hunks
}

/** The lines of both lists. Common lines appear once. Between them, our lines come before theirs. */
export function uniteLines(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const lines: string[] = []
  let [fromOurs, fromTheirs] = [0, 0]
  for (const [our, their] of commonLines(ours, theirs)) {
    lines.push(...ours.slice(fromOurs, our), ...theirs.slice(fromTheirs, their), ours[our]!)
    fromOurs = our + 1
    fromTheirs = their + 1
  }
  return [...lines, ...ours.slice(fromOurs), ...theirs.slice(fromTheirs)]
}

/** The lines of one list that have no common line in the other. */
export function withoutCommon(lines: readonly string[], others: readonly string[]): readonly string[] {
  const common = new Set(commonLines(lines, others).map(([place]) => place))
  return lines.filter((_, place) => !common.has(place))
}

/** The places of a longest common subsequence, in both lists. */
function commonLines(first: readonly string[], second: readonly string[]): readonly [number, number][] {
  const shorter = Math.min(first.length, second.length)
  let head = 0
  while (head < shorter && first[head] === second[head]) head++
  let tail = 0
  while (tail < shorter - head && first.at(-1 - tail) === second.at(-1 - tail)) tail++
  const pairs: [number, number][] = Array.from({ length: head }, (_, place) => [place, place])
  const [rows, columns] = [first.slice(head, first.length - tail), second.slice(head, second.length - tail)]
  for (const [row, column] of longestCommon(rows, columns)) pairs.push([head + row, head + column])
  for (let left = tail; left > 0; left--) pairs.push([first.length - left, second.length - left])
  return pairs
}

function* longestCommon(rows: readonly string[], columns: readonly string[]): Generator<[number, number]> {
  const numbers = new Map<string, number>()
  const [left, right] = [numberLines(rows, numbers), numberLines(columns, numbers)]
  const width = columns.length + 1
  /** The number of lines that the rests from this place on have in common. */
  const lengths = new Uint16Array((rows.length + 1) * width)
  for (let row = rows.length - 1; row >= 0; row--)
    for (let column = columns.length - 1; column >= 0; column--) {
      const here = row * width + column
      lengths[here] =
        left[row] === right[column]
          ? lengths[here + width + 1]! + 1
          : Math.max(lengths[here + width]!, lengths[here + 1]!)
    }
  for (let row = 0, column = 0; row < rows.length && column < columns.length; ) {
    const here = row * width + column
    if (left[row] === right[column]) yield [row++, column++]
    else if (lengths[here + width]! >= lengths[here + 1]!) row++
    else column++
  }
}

/** Numbers compare faster than lines. */
function numberLines(lines: readonly string[], numbers: Map<string, number>): Uint32Array {
  return Uint32Array.from(lines, line => {
    const number = numbers.get(line) ?? numbers.size
    numbers.set(line, number)
    return number
  })
}
