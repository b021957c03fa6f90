import { estimateTokens } from '../../tokens/index.ts'
import { inertLine } from './inert-line.ts'
import { listLines } from './lines.ts'
import { listSections } from './sections.ts'

export interface LinesToCondense {
  /** Oldest first. */
  readonly lines: readonly string[]
  /** The first day of the lines, as `YYYY-MM-DD`. `to` is the last one. */
  readonly from: string
  readonly to: string
  /** The tokens that the lines take now. */
  readonly tokens: number
}

/** `- 2026-02-10: …`, or a condensed line: `- 2026-01-15 – 2026-02-10: …`. */
const DATED = /^- (\d{4}-\d{2}-\d{2})(?: – (\d{4}-\d{2}-\d{2}))?:/
const MIN_LINES_KEPT = 2
/** A single line would be condensed again and again until it said nothing. */
const MIN_LINES_CONDENSED = 2
/** The share of the tokens that is left after condensing. */
const CONDENSED_SHARE = 0.25

/**
 * Chooses the lines to condense in a document that is over its budget: the oldest dated lines of one section,
 * as many as the target needs. Another section is used only if the first one has too few such lines. Sections
 * about people (`lasting`) come last. `null`: the document is within its budget, or there is nothing to
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
    /** The headings of sections that come last. The first heading comes last of all. */
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

/** The lines of each section of level 2. The lines above the first section come first. */
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

/** The day as `YYYY-MM-DD`. For a condensed line: its first day. `null`: the line has no day. */
export function dayOfLine(line: string): string | null {
  return DATED.exec(line)?.[1] ?? null
}

interface DatedLine {
  readonly line: string
  readonly from: string
  readonly to: string
}

/** Ordered by first day. Lines of the same day keep their order. */
function datedLines(lines: readonly string[]): readonly DatedLine[] {
  return lines
    .flatMap(line => {
      const match = DATED.exec(line)
      return match ? [{ line, from: match[1]!, to: match[2] ?? match[1]! }] : []
    })
    .sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : 0))
}
