import { estimateTokens } from '../../tokens/index.ts'
import { Heap } from './heap.ts'
import { isBareAnswer, type Range, type Unit } from './units.ts'

/**
 * Which extracts to keep. Each term of the range has a weight, and counts once, however often it is said: so the
 * extract that adds the most new weight for its tokens goes first, and what it says is worth nothing after that.
 * That is greedy maximisation of a submodular function, within a constant of the best there is, and it drops
 * repeats and small talk without knowing what they are.
 */

/*
 * Chosen by what survives of the answers to questions about long conversations; all of them lie on a plateau,
 * where a third more or less changes next to nothing.
 */
/** Below 1, longer extracts are preferred to what would be the densest ones: they read better. */
const LENGTH_POWER = 0.85
/** What adds less is not worth a line. */
const MIN_GAIN = 1.5
/** Cutting into a sentence costs as if it were so many tokens longer. */
const CUT_START_TOKENS = 1.5
const CUT_END_TOKENS = 0.5
/** Less than the day costs, or the first day chosen would draw everything to itself. */
const DAY_TOKENS = 3
const CUE_FACTOR = 1.25
const QUESTION_FACTOR = 0.6
/**
 * What a person says is known from nowhere else, what a bot says it could say again. The longer its messages are
 * beside those of the people, the less a word of it weighs, or its advice would crowd out what it was told.
 */
const ASSISTANT_FACTOR = 0.95
const LEAST_ASSISTANT_FACTOR = 0.4
const SYSTEM_FACTOR = 0.5
const TOOL_FACTOR = 0.5
const CODE_FACTOR = 0.3

/** Clauses `from` to `to` of a unit. */
export interface Extract {
  readonly unit: number
  readonly from: number
  readonly to: number
}

export class Choice {
  readonly #range: Range
  readonly #heap = new Heap()
  readonly #weights: Float64Array
  readonly #stamps: Uint32Array
  #stamp = 0
  /** Clauses taken, a bit each. */
  readonly #taken: Uint8Array
  readonly #touched: Uint8Array
  readonly #daysTouched = new Set<number>()
  /** Units that did not fit into what was left. */
  #tooLong: number[] = []
  readonly #headerTokens = new Map<string, number>()
  readonly #lastBySpeaker: readonly boolean[]
  #assistantFactor = ASSISTANT_FACTOR

  constructor(range: Range, weights: Float64Array) {
    this.#range = range
    this.#weights = weights
    this.#stamps = new Uint32Array(weights.length)
    this.#taken = new Uint8Array(range.units.length)
    this.#touched = new Uint8Array(range.messages.length)
    this.#lastBySpeaker = unansweredMessages(range)
  }

  /** Looks at every unit once. */
  *rank(): Generator<void, void, void> {
    this.#assistantFactor = yield* assistantFactor(this.#range)
    for (let index = 0; index < this.#range.units.length; index++) {
      const best = this.#evaluate(index)
      if (best) this.#heap.push(index, best.score)
      if (index % 100 === 99) yield
    }
  }

  /** Takes what is best for its tokens until so many are used up. Goes on where the last call stopped. */
  *take(tokens: number): Generator<void, Extract[], void> {
    const extracts: Extract[] = []
    let left = tokens
    let steps = 0
    for (const index of this.#tooLong.splice(0)) {
      const best = this.#evaluate(index, left)
      if (best) this.#heap.push(index, best.score)
      else this.#tooLong.push(index)
      if (++steps % 50 === 0) yield
    }
    while (this.#heap.size > 0 && left > 0) {
      if (++steps % 50 === 0) yield
      const index = this.#heap.pop()!
      const best = this.#evaluate(index, left)
      if (!best) {
        this.#tooLong.push(index)
        continue
      }
      if (best.score < this.#heap.topScore) {
        this.#heap.push(index, best.score)
        continue
      }
      left -= best.tokens
      for (const extract of best.extracts) {
        this.#mark(extract)
        extracts.push(extract)
      }
      for (let near = Math.max(0, index - 2); near < Math.min(index + 3, this.#range.units.length); near++) {
        const next = this.#evaluate(near, left)
        if (next) this.#heap.push(near, next.score)
      }
    }
    return extracts
  }

  #mark({ unit, from, to }: Extract): void {
    const { clauses, message } = this.#range.units[unit]!
    this.#touched[message] = 1
    this.#daysTouched.add(this.#range.days[message]!)
    for (let at = from; at <= to; at++) {
      this.#taken[unit]! |= 1 << at
      for (const term of clauses[at]!.terms) this.#weights[term] = 0
    }
  }

  #evaluate(
    index: number,
    limit = Number.POSITIVE_INFINITY,
  ): { score: number; tokens: number; extracts: Extract[] } | null {
    const unit = this.#range.units[index]!
    const factor = this.#factor(unit)
    const own = this.#bestSpan(index, limit)
    if (unit.question !== null && this.#taken[index] === 0 && (own !== null || isBareAnswer(unit))) {
      const pair = this.#withQuestion(index, unit.question, factor, limit)
      if (pair) return pair
    }
    if (!own) return null
    return {
      score: (own.gain * factor) / own.tokens ** LENGTH_POWER,
      tokens: own.tokens,
      extracts: [{ unit: index, from: own.from, to: own.to }],
    }
  }

  #withQuestion(index: number, question: number, factor: number, limit: number) {
    const { clauses, message } = this.#range.units[index]!
    const asked = this.#taken[question] === 0 ? this.#bestSpan(question, limit) : null
    if (!asked && this.#taken[question] === 0) return null
    this.#stamp++
    let gain = 0
    let tokens = this.#header(message)
    for (const clause of clauses) {
      gain += this.#gain(clause.terms)
      tokens += clause.tokens
    }
    const extracts: Extract[] = [{ unit: index, from: 0, to: clauses.length - 1 }]
    if (asked) {
      gain += asked.gain
      tokens += asked.tokens
      extracts.unshift({ unit: question, from: asked.from, to: asked.to })
    } else if (gain === 0) gain = 1
    if (tokens > limit || gain < MIN_GAIN) return null
    return { score: (gain * factor) / tokens ** LENGTH_POWER, tokens, extracts }
  }

  /** The run of clauses not yet taken that adds most for its tokens. */
  #bestSpan(index: number, limit: number) {
    const { clauses, message } = this.#range.units[index]!
    const taken = this.#taken[index]!
    const header = this.#header(message)
    let best: { from: number; to: number; gain: number; tokens: number } | null = null
    let bestScore = 0
    for (let from = 0; from < clauses.length; from++) {
      if (taken & (1 << from) || (from > 0 && clauses[from - 1]!.bindsNext && !(taken & (1 << (from - 1)))))
        continue
      this.#stamp++
      let gain = 0
      let tokens = header
      for (let to = from; to < clauses.length && !(taken & (1 << to)); to++) {
        const clause = clauses[to]!
        gain += this.#gain(clause.terms)
        tokens += clause.tokens
        if (tokens > limit) break
        if (clause.bindsNext || gain < MIN_GAIN) continue
        const cut =
          (from > 0 && !(taken & (1 << (from - 1))) ? CUT_START_TOKENS : 0) +
          (to + 1 < clauses.length ? CUT_END_TOKENS : 0)
        const score = gain / (tokens + cut) ** LENGTH_POWER
        if (score > bestScore) {
          bestScore = score
          best = { from, to, gain, tokens }
        }
      }
    }
    return best
  }

  /** What the line costs before the first word. */
  #header(message: number): number {
    if (this.#touched[message]) return 0
    const speaker = this.#range.speakers[message]!
    let tokens = this.#headerTokens.get(speaker)
    if (tokens === undefined) {
      tokens = estimateTokens(`\n- ${speaker}:`)
      this.#headerTokens.set(speaker, tokens)
    }
    return tokens + (this.#daysTouched.has(this.#range.days[message]!) ? 0 : DAY_TOKENS)
  }

  #gain(terms: readonly number[]): number {
    let gain = 0
    for (const term of terms) {
      if (this.#stamps[term] === this.#stamp) continue
      this.#stamps[term] = this.#stamp
      gain += this.#weights[term]!
    }
    return gain
  }

  #factor(unit: Unit): number {
    if (unit.kind === 'code') return CODE_FACTOR
    if (unit.kind === 'tool') return TOOL_FACTOR
    const cue = unit.hasCue ? CUE_FACTOR : 1
    const { role } = this.#range.messages[unit.message]!
    const speaker = role === 'system' ? SYSTEM_FACTOR : role === 'assistant' ? this.#assistantFactor : 1
    if (unit.isQuestion && !this.#lastBySpeaker[unit.message]) return QUESTION_FACTOR * cue * speaker
    return cue * speaker
  }
}

/** Messages after which nobody else speaks: a question in them is open. */
function unansweredMessages({ messages, speakers }: Range): boolean[] {
  const last = speakers.at(-1)
  const open = messages.map(() => false)
  for (let index = messages.length - 1; index >= 0 && speakers[index] === last; index--) open[index] = true
  return open
}

function* assistantFactor({ messages, units }: Range): Generator<void, number, void> {
  const tokens = { user: 0, assistant: 0 }
  const count = { user: 0, assistant: 0 }
  let last = -1
  for (const [index, { message, clauses }] of units.entries()) {
    if (index % 500 === 499) yield
    const { role } = messages[message]!
    if (role !== 'user' && role !== 'assistant') continue
    if (message !== last) count[role]++
    last = message
    for (const clause of clauses) tokens[role] += clause.tokens
  }
  if (count.user === 0 || count.assistant === 0) return ASSISTANT_FACTOR
  const ratio = tokens.user / count.user / (tokens.assistant / count.assistant)
  return Math.min(ASSISTANT_FACTOR, Math.max(LEAST_ASSISTANT_FACTOR, Math.sqrt(ratio)))
}
