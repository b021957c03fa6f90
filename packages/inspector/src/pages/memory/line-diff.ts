/** A line of two texts that are compared: in the later one only, in the earlier one only, or in both. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same'
  readonly text: string
}

/** Above this many pairs of lines it is not worth the wait: then all old lines went and all new ones came. */
const MAX_PAIRS = 4_000_000

/** The fewest lines that make the later text from the earlier one, in their order. */
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

/** Of a diff only what changed; `null` stands where lines that stayed lie between. */
export function changesOnly(lines: readonly DiffLine[]): readonly (DiffLine | null)[] {
  const shown: (DiffLine | null)[] = []
  let isApart = false
  for (const line of lines) {
    if (line.kind === 'same') isApart = shown.length > 0
    // An empty line that came or went says nothing.
    else if (line.text.trim() !== '') {
      if (isApart) shown.push(null)
      shown.push(line)
      isApart = false
    }
  }
  return shown
}

/** By the longest common subsequence: `common[i][j]` is its length from the i-th old and the j-th new line on. */
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
