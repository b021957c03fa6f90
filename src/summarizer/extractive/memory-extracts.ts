import { formatDay } from '../calendar-day.ts'
import { comparable, shortLine } from '../memory-line.ts'
import type { Extract as MemoryExtract } from '../summarizer.ts'
import { isWorthKeeping } from '../worth-keeping.ts'
import type { Extract } from './choose.ts'
import { renderSentence } from './render.ts'
import type { Range, Unit } from './units.ts'
import { isWorthRemembering } from './worth-remembering.ts'

/** A line that only quotes says less than one that a model writes: more of them would be noise. */
const MOST = 3
const STEP_UNITS = 20

/**
 * Sentences that are worth remembering, whole: those first that the summary was begun with, for what adds most was chosen
 * first. What people said goes before what a bot said to them.
 */
export function* memoryExtracts(
  range: Range,
  chosen: readonly Extract[],
  most: number,
): Generator<void, MemoryExtract[], void> {
  const units = new Set([...chosen.map(({ unit }) => unit), ...range.units.keys()])
  const extracts = new Map<string, number>()
  let steps = 0
  for (const role of ['user', 'assistant'])
    for (const unit of units) {
      if (extracts.size >= Math.min(most, MOST)) break
      if (++steps % STEP_UNITS === 0) yield
      if (range.messages[range.units[unit]!.message]!.role !== role || !isTelling(range, range.units[unit]!))
        continue
      const key = comparable(sentence(range.units[unit]!))
      if (!extracts.has(key)) extracts.set(key, unit)
    }
  return [...extracts.values()]
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

/** Questions are open, or answered by what is telling. A day that we have put there makes no line telling. */
function isTelling({ vocabulary }: Range, unit: Unit): boolean {
  const { kind, isQuestion, hasCue, clauses } = unit
  if (kind !== 'prose' || isQuestion) return false
  const said = sentence(unit).replace(RESOLVED_DAY, '')
  const hasName = clauses.some(({ terms }) => terms.some(term => vocabulary.isName(term)))
  return isWorthKeeping(said) && isWorthRemembering(said, { hasCue, hasName })
}

function sentence({ clauses }: Unit): string {
  return clauses.map(({ text }) => text).join('')
}
