import { estimateTokens } from '../../tokens/index.ts'
import { inertLine } from './inert-line.ts'
import { listLines } from './lines.ts'

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
const LEAST_LINES_KEPT = 2
/** One line alone would be condensed again and again until it said nothing. */
const LEAST_LINES_CONDENSED = 2
/** What is left of lines when they are condensed. */
const CONDENSED_SHARE = 0.25

/**
 * Which lines of a document that is over its budget are to be condensed: the oldest dated ones, as many as
 * it takes to come within the target, but never the newest. `null`: it is within its budget, or there is
 * nothing to condense.
 */
export function linesToCondense(
  content: string,
  { budgetTokens, targetTokens }: { readonly budgetTokens: number; readonly targetTokens: number },
): LinesToCondense | null {
  const whole = estimateTokens(content)
  if (whole <= budgetTokens) return null
  const candidates = datedLines(content).slice(0, -LEAST_LINES_KEPT)
  if (candidates.length < LEAST_LINES_CONDENSED) return null
  const chosen: DatedLine[] = []
  let tokens = 0
  for (const candidate of candidates) {
    const isEnough = whole - tokens * (1 - CONDENSED_SHARE) <= targetTokens
    if (isEnough && chosen.length >= LEAST_LINES_CONDENSED) break
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

interface DatedLine {
  readonly line: string
  readonly from: string
  readonly to: string
}

/** By the day on which they begin; those of one day as they stand. */
function datedLines(content: string): readonly DatedLine[] {
  return listLines(content)
    .flatMap(line => {
      const match = DATED.exec(line)
      return match ? [{ line, from: match[1]!, to: match[2] ?? match[1]! }] : []
    })
    .sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : 0))
}
