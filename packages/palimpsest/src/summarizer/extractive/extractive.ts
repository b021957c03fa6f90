import { estimateTokens } from '../../tokens/index.ts'
import { formatDay } from '../calendar-day.ts'
import { clip } from '../clip.ts'
import type { SummarizeRequest, Summarizer, Summary } from '../summarizer.ts'
import { Choice, type Extract } from './choose.ts'
import { chooseDetails, exactIn } from './details.ts'
import { extractFacts } from './facts.ts'
import { memoryExtracts } from './memory-extracts.ts'
import { isConditional, isNegated } from './negations.ts'
import { misleadingQuestions, renderLines } from './render.ts'
import { runInSlices } from './slices.ts'
import { type Range, readRange } from './units.ts'

/**
 * Says again what was said, in the words in which it was said. Uses no model and no network, gives the same
 * bytes for the same range, and takes time linear in the range's length.
 */
export function extractive(): Summarizer {
  return {
    name: 'extractive',
    version: '2',
    summarize: async request => runInSlices(extract(request), { signal: request.signal }),
    factsReadAround: READ_AROUND,
    extractFacts: request => runInSlices(extractFacts(request), { signal: request.signal }),
  }
}

/** People take something back soon, with an answer or two of the bot between. */
const READ_AROUND = 6
/** The part of a term's weight that is left where the earlier summary has the term. */
const KNOWN_FACTOR = 0.25
const MAX_ROUNDS = 4
const STEP_TERMS = 2_000
const STEP_CHARACTERS = 8_000

export function* extract(request: SummarizeRequest): Generator<void, Summary, void> {
  const range = yield* readRange(request.messages, request.zone, request.people)
  const weights = yield* weighTerms(range, request.earlier)
  const choice = new Choice(range, weights)
  yield* choice.rank()
  const extracts = yield* fillBudget(range, choice, request.budgetTokens)
  const text = renderLines(range, extracts) || lastWords(range, request.budgetTokens)
  const said = exactIn(range, extracts)
  const details = yield* chooseDetails(range, weights, exact => said.has(exact), request.detailTokens)
  const summary = { text, events: range.events, details }
  if (request.extracts === undefined || request.of === 'summaries') return summary
  return { ...summary, extracts: yield* memoryExtracts(range, extracts, request.extracts.most) }
}

export function* weighTerms(range: Range, earlier: string | null): Generator<void, Float64Array, void> {
  const { vocabulary } = range
  const weights = new Float64Array(vocabulary.size)
  for (let term = 0; term < weights.length; term++) {
    weights[term] = vocabulary.weight(term, range.units.length)
    if (term % STEP_TERMS === STEP_TERMS - 1) yield
  }
  // The speaker's name stands before the line anyway.
  for (const speaker of new Set(range.speakers)) {
    // An id may be a figure that matters where it is said.
    for (const term of vocabulary.spelledBy(speaker.replace(/ \([^()]*\)"?$/, ''))) weights[term] = 0
    yield
  }
  for (let at = 0; earlier !== null && at < earlier.length; at += STEP_CHARACTERS) {
    for (const term of vocabulary.known(earlier.slice(at, at + STEP_CHARACTERS)))
      weights[term] = Math.min(weights[term]!, KNOWN_FACTOR * vocabulary.weight(term, range.units.length))
    yield
  }
  return weights
}

/**
 * The cost of an extract depends on what stands beside it, so the costs are estimates. If they are too high,
 * the next round has room for more; if they are too low, the last extracts go.
 */
function* fillBudget(range: Range, choice: Choice, budget: number): Generator<void, Extract[], void> {
  const extracts: Extract[] = []
  let used = 0
  for (let round = 0; round < MAX_ROUNDS && used < budget; round++) {
    const more = yield* choice.take(budget - used)
    if (more.length === 0) break
    extracts.push(...more)
    used = estimateTokens(renderLines(range, extracts))
    while (used > budget && extracts.length > 0) {
      // Extracts that were taken together go together.
      const { group } = extracts.at(-1)!
      while (extracts.at(-1)?.group === group) choice.drop(extracts.pop()!)
      used = estimateTokens(renderLines(range, extracts))
      yield
    }
  }
  // These questions are few. Dropping one puts no other question before an answer that is not its own.
  const misleading = new Set(misleadingQuestions(range, extracts).map(({ unit }) => unit))
  const isNeeded = (unit: number) => extracts.some(each => range.units[each.unit]!.needs.includes(unit))
  return extracts.filter(({ unit }) => !misleading.has(unit) || isNeeded(unit))
}

/**
 * Used where nothing was chosen, because a summary is never empty: the last of what was said, as much as
 * fits. Passes over what would say something else alone.
 */
function lastWords({ messages, speakers, days, units }: Range, budget: number): string {
  if (units.length === 0) return messages.length === 0 ? '' : lineWithin('…', messages.length - 1)
  let read = 0
  for (const hasToTell of [true, false])
    for (let index = units.length - 1; index >= 0 && read < MAX_LAST_UNITS; index--, read++) {
      const { message, clauses, needs, question, isStale, isLost } = units[index]!
      if (needs.length > 0 || question !== null || isStale || (isLost && hasToTell)) continue
      const said = clauses
        .map(clause => clause.text)
        .join('')
        .trim()
      const line = lineWithin(
        said,
        message,
        clauses.some(({ isCorrected }) => isCorrected),
      )
      if (line !== '') return line
    }
  return ''

  function lineWithin(said: string, message: number, isWhole = false): string {
    for (let length = said.length; length > 0; length = isWhole ? 0 : Math.floor(length / 2)) {
      const end = behindDay(said, length)
      // A "not" in the part that is cut off may be about the part that is left.
      const rest = said.slice(end - 1)
      if (end < said.length && (isNegated(rest) || isConditional(rest))) continue
      const line = `- ${formatDay(days[message]!)} ${speakers[message]}: ${cutAt(said, end, length)}`
      if (estimateTokens(line) <= budget) return line
    }
    return ''
  }
}

const MAX_LAST_UNITS = 200
const RESOLVED_DAY = / \(\d{4}[-–/\d]*\)/g
/** The words that mean a day are no longer than this. */
const MAX_DAY_WORDS = 24

/**
 * Without its day, "next Friday" would mean another day to a later reader. So the cut goes behind the day.
 */
function behindDay(said: string, length: number): number {
  for (const { 0: mark, index } of said.matchAll(RESOLVED_DAY))
    if (length > index - MAX_DAY_WORDS && length < index + mark.length) return index + mark.length
  return length
}

function cutAt(said: string, end: number, length: number): string {
  return end === length ? clip(said, length) : end < said.length ? `${said.slice(0, end)} …` : said
}
