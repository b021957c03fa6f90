import { type MergedLines, mergeLines, sameLines } from './merge-lines.ts'
import { PREAMBLE, type Section, splitSections } from './sections.ts'

/**
 * Joins two changes of one document, section by section. Sections that both sides changed are merged by
 * lines. Text that either side added stays. Text that one side removed and the other left alone goes. Text
 * that both sides changed appears in both forms. A section that one side removed and the other changed stays.
 * If the base is not known, nothing counts as removed, so nothing goes.
 */
export function mergeDocuments({ base, ours, theirs }: Sides<string | null, string>): {
  readonly content: string
  readonly conflicts: number
} {
  if (ours === theirs || theirs === base) return { content: ours, conflicts: 0 }
  if (ours === base) return { content: theirs, conflicts: 0 }
  const documents = {
    base: splitSections(base ?? ''),
    ours: splitSections(ours),
    theirs: splitSections(theirs),
  }
  const merged: MergedSection[] = []
  for (const name of orderNames(documents)) {
    const sides = {
      base: documents.base.get(name),
      ours: documents.ours.get(name),
      theirs: documents.theirs.get(name),
    }
    const section = mergeSection(sides)
    if (section) merged.push({ ...section, blanks: mergeBlanks(sides, section.lines) })
  }
  return {
    content: joinSections(merged),
    conflicts: merged.reduce((sum, { conflicts }) => sum + conflicts, 0),
  }
}

interface Sides<Base, Side = Base> {
  readonly base: Base
  readonly ours: Side
  readonly theirs: Side
}

interface MergedSection extends MergedLines {
  /** The blank lines after the section, if another section follows. */
  readonly blanks: readonly string[]
}

/** `null`: the section was removed. */
function mergeSection({ base, ours, theirs }: Sides<Section | undefined>): MergedLines | null {
  if (ours && theirs) return mergeLines(base?.lines ?? [], ours.lines, theirs.lines)
  const left = ours ?? theirs
  if (!left || (base && sameLines(base.lines, left.lines))) return null
  return { lines: left.lines, conflicts: base ? 1 : 0 }
}

/**
 * The blank lines of a side that has another section behind this one. If no side has, one blank line
 * separates the two sections.
 */
function mergeBlanks(sides: Sides<Section | undefined>, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return sides.ours?.lines.length === 0 ? sides.ours.blanks : []
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(section =>
    section && !section.isLast && section.lines.length > 0 ? section.blanks : undefined,
  )
  if (ours && theirs) return base && sameLines(base, ours) ? theirs : ours
  return ours ?? theirs ?? ['']
}

function joinSections(sections: readonly MergedSection[]): string {
  const shown = sections.filter(({ lines, blanks }) => lines.length > 0 || blanks.length > 0)
  const lines = shown.flatMap((section, place) =>
    place < shown.length - 1 ? [...section.lines, ...section.blanks] : section.lines,
  )
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/**
 * Our order, unless only the other side moved sections. A section that only the other side has follows the
 * section that it followed there.
 */
function orderNames({ base, ours, theirs }: Sides<ReadonlyMap<string, Section>>): readonly string[] {
  const isOursMoved = !sameLines([...base.keys()], [...ours.keys()])
  const [main, other] = isOursMoved ? [ours, theirs] : [theirs, ours]
  const groups = new Map<string, string[]>()
  for (const name of main.keys()) groups.set(name, [name])
  /** For each name that both sides have: the last of the names right below it that only the main side has. */
  const anchors = new Map<string, string>()
  let anchor = PREAMBLE
  for (const name of main.keys()) {
    if (other.has(name)) anchor = name
    anchors.set(anchor, name)
  }
  anchor = PREAMBLE
  for (const name of other.keys())
    if (main.has(name)) anchor = name
    else groups.get(anchors.get(anchor)!)!.push(name)
  return [...groups.values()].flat()
}
