/** A line in a comparison of two texts: only in the later text, only in the earlier one, or in both. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same'
  readonly text: string
}

/**
 * Above this number of pairs of lines, a comparison takes too long. Then all old lines count as removed and
 * all new ones as added.
 */
const MAX_PAIRS = 4_000_000

/** The lines of both texts, in order, with as few changes as possible. */
export function lineDiff(earlier: string, later: string): readonly DiffLine[] {
  const [old, fresh] = [linesOf(earlier), linesOf(later)]
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  return [
    ...old.slice(0, head).map(same),
    ...compare(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ]
}

/** Only the changed lines of a diff. `null` stands for unchanged lines between two of them. */
export function changesOnly(lines: readonly DiffLine[]): readonly (DiffLine | null)[] {
  const shown: (DiffLine | null)[] = []
  let isApart = false
  for (const line of lines) {
    if (line.kind === 'same') isApart = shown.length > 0
    // An empty line that was added or removed is not worth showing.
    else if (line.text.trim() !== '') {
      if (isApart) shown.push(null)
      shown.push(line)
      isApart = false
    }
  }
  return shown
}

/**
 * Uses the longest common subsequence: `common[i][j]` is its length from the i-th old line and the j-th new
 * line on.
 */
function compare(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  if (old.length * fresh.length > MAX_PAIRS) return [...old.map(removed), ...fresh.map(added)]
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1))
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      common[i]![j] =
        old[i] === fresh[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < fresh.length)
    if (old[i] === fresh[j]) {
      lines.push(same(old[i]!))
      i++
      j++
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(removed(old[i++]!))
    else lines.push(added(fresh[j++]!))
  return [...lines, ...old.slice(i).map(removed), ...fresh.slice(j).map(added)]
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

const same = (text: string): DiffLine => ({ kind: 'same', text })
const added = (text: string): DiffLine => ({ kind: 'added', text })
const removed = (text: string): DiffLine => ({ kind: 'removed', text })
