import { formatDay } from '../calendar-day.ts'
import { comparable, shortLine } from '../memory-line.ts'
import type { Extract as MemoryExtract } from '../summarizer.ts'
import { isForeign } from '../told-apart.ts'
import { isWorthKeeping } from '../worth-keeping.ts'
import type { Extract } from './choose.ts'
import { renderSentence } from './render.ts'
import type { Range, Unit } from './units.ts'
import { type Worth, worthRemembering } from './worth-remembering.ts'

/** A line that only quotes says less than a line that a model writes, so more lines would be noise. */
const MAX = 3
/**
 * Of the lines that say nothing lasting, one for so many tokens: a number in every sentence makes none of
 * them history.
 */
const TELLING_EVERY_TOKENS = 500
const STEP_UNITS = 20

/**
 * Whole sentences that are worth remembering. Lasting sentences go before those that only tell something.
 * Sentences of the summary go first, in the order of their choice: what adds most was chosen first. What
 * people said goes before what a bot said to them.
 */
export function* memoryExtracts(
  range: Range,
  chosen: readonly Extract[],
  most: number,
): Generator<void, MemoryExtract[], void> {
  const units = new Set([...chosen.map(({ unit }) => unit), ...range.units.keys()])
  const found: Record<Worth, number[]> = { lasting: [], telling: [] }
  const extracts = new Map<string, number>()
  const mostLines = Math.min(most, MAX)
  let steps = 0
  for (const role of ['user', 'assistant'])
    for (const unit of units) {
      if (found.lasting.length >= mostLines) break
      if (++steps % STEP_UNITS === 0) yield
      const message = range.messages[range.units[unit]!.message]!
      // What a person only passed on is in the summary, with whose it is.
      if (message.role !== role || isForeign(message)) continue
      const worth = worthOf(range, range.units[unit]!)
      if (worth === null) continue
      const key = comparable(sentence(range.units[unit]!))
      if (extracts.has(key)) continue
      extracts.set(key, unit)
      // A bot could say its own words again.
      found[role === 'user' ? worth : 'telling'].push(unit)
    }
  const mostTelling = Math.max(1, Math.floor(tokensOf(range) / TELLING_EVERY_TOKENS))
  return [...found.lasting, ...found.telling.slice(0, mostTelling)]
    .slice(0, mostLines)
    .sort((left, right) => left - right)
    .map(unit => {
      const { message } = range.units[unit]!
      return {
        text: shortLine(renderSentence(range, unit)),
        on: formatDay(range.days[message]!),
        seq: range.messages[message]!.seq,
      }
    })
}

const RESOLVED_DAY = / \(\d{4}[-/\d]*\)/g

function tokensOf({ units }: Range): number {
  return units.reduce((sum, { clauses }) => sum + clauses.reduce((all, { tokens }) => all + tokens, 0), 0)
}

/**
 * No question is worth it: it is open, or its answer tells the same. A day that this package has put into the
 * text does not make a line telling.
 */
function worthOf({ vocabulary }: Range, unit: Unit): Worth | null {
  const { kind, isQuestion, isStale, isLost, needs, hasCue, clauses } = unit
  // A sentence that needs another one would say something else alone.
  if (kind !== 'prose' || isQuestion || isStale || isLost || needs.length > 0) return null
  const said = sentence(unit).replace(RESOLVED_DAY, '')
  if (!isWorthKeeping(said)) return null
  const hasName = clauses.some(({ terms }) => terms.some(term => vocabulary.isName(term)))
  return worthRemembering(said, { hasCue, hasName })
}

function sentence({ clauses }: Unit): string {
  return clauses.map(({ text }) => text).join('')
}
