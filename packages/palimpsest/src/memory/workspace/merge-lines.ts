import { diffLines, type Hunk, MAX_LINES, uniteLines, withoutCommon } from './line-diff.ts'

export interface MergedLines {
  readonly lines: readonly string[]
  /** The number of places that both sides changed in different ways. Both forms are kept there. */
  readonly conflicts: number
}

/** Hunks of both sides that concern the same lines. */
interface Cluster {
  readonly start: number
  end: number
  readonly ours: Hunk[]
  readonly theirs: Hunk[]
}

/**
 * The result has each line that either side added. It has a line of the base if both sides kept it. If both
 * sides add lines at the same place, ours come first.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): MergedLines {
  if (sameLines(ours, theirs) || sameLines(base, theirs)) return { lines: ours, conflicts: 0 }
  if (sameLines(base, ours)) return { lines: theirs, conflicts: 0 }
  if (Math.max(base.length, ours.length, theirs.length) > MAX_LINES)
    return { lines: addMissing(ours, theirs), conflicts: 0 }
  return applyClusters(base, findClusters(diffLines(base, ours), diffLines(base, theirs)))
}

export function sameLines(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((line, place) => line === second[place])
}

export function isBlankLine(line: string): boolean {
  return line.trim() === ''
}

function addMissing(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const known = new Set(ours)
  return [...ours, ...theirs.filter(line => !known.has(line))]
}

function findClusters(ours: readonly Hunk[], theirs: readonly Hunk[]): readonly Cluster[] {
  const hunks = [
    ...ours.map(hunk => ({ hunk, side: 'ours' as const })),
    ...theirs.map(hunk => ({ hunk, side: 'theirs' as const })),
  ].sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end)
  const clusters: Cluster[] = []
  for (const { hunk, side } of hunks) {
    let cluster = clusters.at(-1)
    if (!cluster || !belongs(hunk, cluster)) {
      cluster = { start: hunk.start, end: hunk.end, ours: [], theirs: [] }
      clusters.push(cluster)
    }
    cluster.end = Math.max(cluster.end, hunk.end)
    cluster[side].push(hunk)
  }
  return clusters
}

/**
 * Both remove the same line, one adds inside the lines that the other removes, or both add at the same place.
 */
function belongs(hunk: Hunk, cluster: Cluster): boolean {
  return hunk.start < cluster.end || (hunk.start === cluster.start && hunk.end === cluster.end)
}

function applyClusters(base: readonly string[], clusters: readonly Cluster[]): MergedLines {
  const lines: string[] = []
  let conflicts = 0
  let place = 0
  /** The last line is a blank one at a place where both sides wrote, so it may be dropped. */
  let mayDropBlank = false
  const keep = (kept: readonly string[]) => {
    if (kept.length === 0) return
    if (mayDropBlank && isBlankLine(kept[0]!)) lines.pop()
    mayDropBlank = false
    for (const line of kept) lines.push(line)
  }
  for (const [index, cluster] of clusters.entries()) {
    const isNext = index > 0 && cluster.start === place
    keep(base.slice(place, cluster.start))
    place = cluster.end
    const { ours, theirs } = isNext ? withoutRepeats(cluster, clusters[index - 1]!) : linesOf(cluster)
    if (ours.length === 0 || theirs.length === 0) {
      keep([...ours, ...theirs])
      continue
    }
    if (isConflict(cluster)) conflicts++
    for (const line of uniteLines(ours, theirs))
      if (!isBlankLine(line) || !isBlankLine(lines.at(-1) ?? 'none')) lines.push(line)
    mayDropBlank = isBlankLine(lines.at(-1) ?? 'none')
  }
  keep(base.slice(place))
  return { lines, conflicts }
}

interface ClusterLines {
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
}

function linesOf({ ours, theirs }: Cluster): ClusterLines {
  return { ours: ours.flatMap(hunk => hunk.lines), theirs: theirs.flatMap(hunk => hunk.lines) }
}

/**
 * Both sides may have added the same line, one of them in a change right before the other's. The line appears
 * once.
 */
function withoutRepeats(cluster: Cluster, previous: Cluster): ClusterLines {
  const [lines, before] = [linesOf(cluster), linesOf(previous)]
  return {
    ours: withoutCommon(lines.ours, before.theirs),
    theirs: withoutCommon(lines.theirs, before.ours),
  }
}

function isConflict(cluster: Cluster): boolean {
  const { ours, theirs } = linesOf(cluster)
  if (sameLines(ours, theirs)) return false
  return cluster.ours.some(our =>
    cluster.theirs.some(their => Math.max(our.start, their.start) < Math.min(our.end, their.end)),
  )
}
