import { estimateTokens } from '../../tokens/index.ts'
import { inertLine } from './inert-line.ts'
import { listLines } from './lines.ts'
import { listSections } from './sections.ts'

export interface LinesToCondense {
  /** Oldest first. */
  readonly lines: readonly string[]
  /** The days that they tell of, `YYYY-MM-DD`. */
  readonly from: string
  readonly to: string
  /** What they take now. */
  readonly tokens: number
}

/** `- 2026-02-10: …`, or condensed `- 2026-01-15 – 2026-02-10: …`. */
const DATED = /^- (\d{4}-\d{2}-\d{2})(?: – (\d{4}-\d{2}-\d{2}))?:/
const MIN_LINES_KEPT = 2
/** One line alone would be condensed again and again until it said nothing. */
const MIN_LINES_CONDENSED = 2
/** What is left of lines when they are condensed. */
const CONDENSED_SHARE = 0.25

/**
 * Which lines of a document that is over its budget are to be condensed: the oldest dated ones of one section, as
 * many as it takes to come within the target. Lines of other sections are taken only where that one has none
 * left, what is told of people (`lasting`) last of all. `null`: it is within its budget, or there is nothing to
 * condense.
 */
export function linesToCondense(
  content: string,
  {
    budgetTokens,
    targetTokens,
    mayGo = () => true,
    lasting = [],
  }: {
    readonly budgetTokens: number
    readonly targetTokens: number
    readonly mayGo?: (line: string) => boolean
    /** Headings whose lines go last, those of the first one last of all. */
    readonly lasting?: readonly string[]
  },
): LinesToCondense | null {
  const whole = estimateTokens(content)
  if (whole <= budgetTokens) return null
  const newest = new Set(
    datedLines(listLines(content))
      .slice(-MIN_LINES_KEPT)
      .map(({ line }) => line),
  )
  for (const section of sectionsInOrder(content, lasting)) {
    const dated = datedLines(section).filter(({ line }) => !newest.has(line) && mayGo(line))
    if (dated.length >= MIN_LINES_CONDENSED) return choose(dated, { whole, targetTokens })
  }
  return null
}

/** The lines of each section of level 2; those above the first one come first. */
function sectionsInOrder(content: string, lasting: readonly string[]): readonly (readonly string[])[] {
  const sections = listSections(content).filter(({ level }) => level === 2)
  const within = sections.map(({ heading, content }) => ({ heading, lines: listLines(content) }))
  const known = new Set(within.flatMap(({ lines }) => lines))
  const outside = listLines(content).filter(line => !known.has(line))
  const rank = (heading: string) =>
    lasting.includes(heading) ? lasting.length - lasting.indexOf(heading) : 0
  const ordered = within.toSorted((one, other) => rank(one.heading) - rank(other.heading))
  return [outside, ...ordered.map(({ lines }) => lines)]
}

function choose(
  dated: readonly DatedLine[],
  { whole, targetTokens }: { whole: number; targetTokens: number },
): LinesToCondense {
  const chosen: DatedLine[] = []
  let tokens = 0
  for (const candidate of dated) {
    const isEnough = whole - tokens * (1 - CONDENSED_SHARE) <= targetTokens
    if (isEnough && chosen.length >= MIN_LINES_CONDENSED) break
    chosen.push(candidate)
    tokens += estimateTokens(`${candidate.line}\n`)
  }
  return {
    lines: chosen.map(({ line }) => line),
    from: chosen[0]!.from,
    to: chosen
      .map(({ to }) => to)
      .sort()
      .at(-1)!,
    tokens,
  }
}

export function condensedLine(from: string, to: string, text: string): string {
  return `- ${from} – ${to}: ${inertLine(text)}`
}

/** `YYYY-MM-DD`, the first of a condensed line; `null`: it tells none. */
export function dayOfLine(line: string): string | null {
  return DATED.exec(line)?.[1] ?? null
}

interface DatedLine {
  readonly line: string
  readonly from: string
  readonly to: string
}

/** By the day on which they begin; those of one day as they stand. */
function datedLines(lines: readonly string[]): readonly DatedLine[] {
  return lines
    .flatMap(line => {
      const match = DATED.exec(line)
      return match ? [{ line, from: match[1]!, to: match[2] ?? match[1]! }] : []
    })
    .sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : 0))
}
