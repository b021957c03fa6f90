import { estimateTokens } from '../../tokens/index.ts'
import { formatDay } from '../calendar-day.ts'
import { clip } from '../clip.ts'
import type { SummarizeRequest, Summarizer, Summary } from '../summarizer.ts'
import { Choice, type Extract } from './choose.ts'
import { chooseDetails, exactIn } from './details.ts'
import { extractFacts } from './facts.ts'
import { memoryExtracts } from './memory-extracts.ts'
import { renderLines } from './render.ts'
import { runInSlices } from './slices.ts'
import { type Range, readRange } from './units.ts'

/**
 * Says again what was said, in the words in which it was said: no model, no network, the same bytes for the
 * same range, in time linear in its length.
 */
export function extractive(): Summarizer {
  return {
    name: 'extractive',
    version: '1',
    summarize: async request => runInSlices(extract(request), { signal: request.signal }),
    extractFacts: async request => ({
      facts: await runInSlices(extractFacts(request), { signal: request.signal }),
    }),
  }
}

/** What is left of a term's weight when the earlier summary has it. */
const KNOWN_FACTOR = 0.25
const MAX_ROUNDS = 4
const STEP_TERMS = 2_000
const STEP_CHARACTERS = 8_000

export function* extract(request: SummarizeRequest): Generator<void, Summary, void> {
  const range = yield* readRange(request.messages, request.zone)
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
  // Whoever speaks stands before the line anyway.
  for (const speaker of new Set(range.speakers)) {
    for (const term of vocabulary.spelledBy(speaker)) weights[term] = 0
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
 * What an extract costs depends on what stands beside it, so the costs are estimates: too high, and there is
 * room for more in the next round; too low, and the last ones go.
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
      // A question goes together with the answer that it was taken for.
      extracts.length = Math.min(extracts.length - 1, lastPairStart(range, extracts))
      used = estimateTokens(renderLines(range, extracts))
      yield
    }
  }
  return extracts
}

function lastPairStart(range: Range, extracts: readonly Extract[]): number {
  const last = extracts.at(-1)!
  const before = extracts.at(-2)
  const isPair = before !== undefined && range.units[last.unit]!.question === before.unit
  return extracts.length - (isPair ? 2 : 1)
}

/** Where there was nothing but small talk: the last of it, as much as fits, for a summary is never empty. */
function lastWords({ messages, speakers, days, units }: Range, budget: number): string {
  const unit = units.at(-1)
  const message = unit?.message ?? messages.length - 1
  if (message < 0) return ''
  const said =
    unit === undefined
      ? '…'
      : unit.clauses
          .map(clause => clause.text)
          .join('')
          .trim()
  for (let length = said.length; length > 0; length = Math.floor(length / 2)) {
    const line = `- ${formatDay(days[message]!)} ${speakers[message]}: ${clip(said, length)}`
    if (estimateTokens(line) <= budget) return line
  }
  return ''
}
