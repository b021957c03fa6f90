import { closesFence, headingOf, openedFence } from '../document/markdown-lines.ts'
import { isBlankLine } from './merge-lines.ts'

/** A heading of level 1 or 2 with the text below it, or the text above the first heading. */
export interface Section {
  /** The heading's line and the number of equal headings before it, so that each name is unique. */
  readonly name: string
  /** The lines with the heading, without blank lines at the end. */
  readonly lines: readonly string[]
  readonly blanks: readonly string[]
  readonly isLast: boolean
}

/** The text above the first heading. It always exists, but may be empty. */
export const PREAMBLE = ''

const LOWEST_LEVEL = 2

export function splitSections(content: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>()
  const seen = new Map<string, number>()
  const all = splitLines(content)
  let [name, start] = [PREAMBLE, 0]
  const close = (end: number) =>
    sections.set(name, toSection(name, all.slice(start, end), end === all.length))
  for (const place of headingPlaces(all)) {
    close(place)
    const heading = all[place]!
    const count = seen.get(heading) ?? 0
    seen.set(heading, count + 1)
    name = `${heading}\n${count}`
    start = place
  }
  close(all.length)
  return sections
}

function splitLines(content: string): readonly string[] {
  const lines = content.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** A line inside a code block is no heading. */
function* headingPlaces(lines: readonly string[]): Generator<number> {
  let closing: string | null = null
  for (const [place, line] of lines.entries())
    if (closing !== null) closing = closesFence(line, closing) ? null : closing
    else {
      closing = openedFence(line)
      const level = closing === null ? headingOf(line)?.level : undefined
      if (level !== undefined && level <= LOWEST_LEVEL) yield place
    }
}

function toSection(name: string, lines: readonly string[], isLast: boolean): Section {
  let end = lines.length
  while (end > 0 && isBlankLine(lines[end - 1]!)) end--
  return { name, lines: lines.slice(0, end), blanks: lines.slice(end), isLast }
}
