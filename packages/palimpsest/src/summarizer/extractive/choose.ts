import { estimateTokens } from '../../tokens/index.ts'
import { isForeign } from '../told-apart.ts'
import { Heap } from './heap.ts'
import type { Range, Unit } from './units.ts'

/**
 * Which extracts to keep. Each term of the range has a weight, and counts once, however often it is said. The
 * extract that adds the most new weight for its tokens goes first; after that, its terms are worth nothing.
 * This is greedy maximisation of a submodular function, so the result is within a constant factor of the best
 * choice. It drops repeats and small talk without knowing what they are.
 */

/*
 * These numbers were chosen by how many answers to questions about long conversations survive in the summary.
 * All of them lie on a plateau: a third more or less changes next to nothing.
 */
/** Below 1, the choice prefers longer extracts to the densest ones, because longer extracts read better. */
const LENGTH_POWER = 0.85
const TERSE_LENGTH_POWER = 0.75
/** An extract that adds less is not worth a line. */
const MIN_GAIN = 1.5
/** An extract that cuts into a sentence counts as if it were so many tokens longer. */
const CUT_START_TOKENS = 1.5
const CUT_END_TOKENS = 0.5
/** Less than what the day costs. At the full price, the first day chosen would draw everything to itself. */
const DAY_TOKENS = 3
/** Between two extracts on one line. */
const JOINT_TOKENS = 3
const NEAR_MESSAGES = 6
const NEAR_UNITS = 4
const CUE_FACTOR = 1.25
const QUESTION_FACTOR = 0.6
/**
 * A person's words are known from nowhere else; a bot could say its own words again. The longer the bot's
 * messages are beside those of the people, the less each of its words weighs. Otherwise the bot's advice
 * would crowd out what people told it.
 */
const ASSISTANT_FACTOR = 0.95
const MIN_ASSISTANT_FACTOR = 0.4
const SYSTEM_FACTOR = 0.5
const TOOL_FACTOR = 0.5
const CODE_FACTOR = 0.3
/**
 * How much the signs of decisions, promises and needs count: the first number where messages are sentences,
 * the second where they are a few words.
 */
const MIN_SIGN_POWER = 0.6
const MAX_SIGN_POWER = 2
/** A statement that was changed later is told only as what it was, if at all. */
const STALE_FACTOR = 0.3
/** The most sentences that are told together. Of a larger group, none is told. */
const MAX_TOGETHER = 6

/** The clauses `from` to `to` of a unit, both included. */
export interface Extract {
  readonly unit: number
  readonly from: number
  readonly to: number
  /**
   * Extracts of one group are kept or dropped together. The number of the group is the index of one of its
   * units.
   */
  readonly group: number
}

export class Choice {
  readonly #range: Range
  readonly #heap = new Heap()
  readonly #weights: Float64Array
  /**
   * The weights for words that a sender passed on. They are apart, so that passed-on words never make a
   * person's own words a repeat.
   */
  readonly #foreignWeights: Float64Array
  readonly #stamps: Uint32Array
  #stamp = 0
  /** The clauses taken of each unit, one bit for each. */
  readonly #taken: Uint8Array
  /** Units that were taken, and then left out again because there was no room. */
  readonly #dropped: Uint8Array
  readonly #touched: Uint8Array
  readonly #daysTouched = new Set<number>()
  /** Units that did not fit into the tokens left. */
  #tooLong: number[] = []
  readonly #headerTokens = new Map<string, number>()
  readonly #lastBySpeaker: readonly boolean[]
  #assistantFactor = ASSISTANT_FACTOR
  readonly #lengthPower: number
  readonly #signPower: number

  constructor(range: Range, weights: Float64Array) {
    this.#range = range
    this.#weights = weights
    this.#foreignWeights = Float64Array.from(weights)
    this.#stamps = new Uint32Array(weights.length)
    this.#taken = new Uint8Array(range.units.length)
    this.#dropped = new Uint8Array(range.units.length)
    this.#touched = new Uint8Array(range.messages.length)
    this.#lastBySpeaker = unansweredMessages(range)
    this.#lengthPower = LENGTH_POWER - range.terseness * (LENGTH_POWER - TERSE_LENGTH_POWER)
    this.#signPower = signPower(range)
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

  /**
   * Takes the best extracts for their tokens, until `tokens` are used up. Goes on where the last call
   * stopped.
   */
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
      for (
        let near = Math.max(0, index - NEAR_UNITS);
        near <= Math.min(index + NEAR_UNITS, this.#range.units.length - 1);
        near++
      ) {
        const next = this.#evaluate(near, left)
        if (next) this.#heap.push(near, next.score)
      }
    }
    return extracts
  }

  /** Takes back an extract that does not fit after all. Extracts that need it are not taken either. */
  drop({ unit }: Extract): void {
    this.#taken[unit] = 0
    this.#dropped[unit] = 1
  }

  #isWhole(unit: number): boolean {
    return this.#taken[unit] === (1 << this.#range.units[unit]!.clauses.length) - 1
  }

  #mark({ unit, from, to }: Extract): void {
    const { clauses, message } = this.#range.units[unit]!
    this.#touched[message] = 1
    this.#daysTouched.add(this.#range.days[message]!)
    for (let at = from; at <= to; at++) {
      this.#taken[unit]! |= 1 << at
      for (const term of clauses[at]!.terms) {
        this.#foreignWeights[term] = 0
        if (!this.#isForeign(message)) this.#weights[term] = 0
      }
    }
  }

  #evaluate(
    index: number,
    limit = Number.POSITIVE_INFINITY,
  ): { score: number; tokens: number; extracts: Extract[] } | null {
    const unit = this.#range.units[index]!
    if (unit.isLost || this.#dropped[index]) return null
    const factor = this.#factor(unit)
    if (unit.needs.some(need => !this.#isWhole(need))) return this.#withNeeds(index, limit)
    const own = this.#bestSpan(index, limit)
    if (unit.question !== null && this.#taken[index] === 0) {
      const asked = this.#factor(this.#range.units[unit.question]!)
      const pair = this.#withQuestion(index, unit.question, Math.max(factor, asked), limit)
      if (pair && (own === null || pair.score >= (own.gain * factor) / own.tokens ** this.#lengthPower))
        return pair
    }
    // A question that has an answer is told with it, or not at all.
    if (!own || unit.isAnswered) return null
    return {
      score: (own.gain * factor) / own.tokens ** this.#lengthPower,
      tokens: own.tokens,
      extracts: [{ unit: index, from: own.from, to: own.to, group: index }],
    }
  }

  /** The sentence with all the sentences without which it would say something else, each of them whole. */
  #withNeeds(index: number, limit: number) {
    const together = this.#neededWith(index)
    if (together === null) return null
    // "Yes" is worth what its question asks.
    const factor = Math.max(...together.map(each => this.#factor(this.#range.units[each]!)))
    this.#stamp++
    let gain = 0
    let tokens = 0
    const extracts: Extract[] = []
    let last = -1
    for (const each of together) {
      const { clauses, message } = this.#range.units[each]!
      const taken = this.#taken[each]!
      if (message !== last) tokens += this.#header(message)
      last = message
      for (const [at, clause] of clauses.entries()) {
        if (taken & (1 << at)) continue
        gain += this.#gain(clause.terms, message)
        tokens += clause.tokens
        extracts.push({ unit: each, from: at, to: at, group: index })
      }
    }
    if (tokens > limit || gain < MIN_GAIN || extracts.length === 0) return null
    return { score: (gain * factor) / tokens ** this.#lengthPower, tokens, extracts }
  }

  /** `null`: the sentence needs too many others, so none of them is told. */
  #neededWith(index: number): readonly number[] | null {
    const together = [index]
    for (const each of together)
      for (const need of this.#range.units[each]!.needs)
        if (!together.includes(need)) {
          if (together.length === MAX_TOGETHER || this.#dropped[need]) return null
          together.push(need)
        }
    return together.sort((left, right) => left - right)
  }

  #withQuestion(index: number, question: number, factor: number, limit: number) {
    const { clauses, message } = this.#range.units[index]!
    if (this.#dropped[question]) return null
    const asked = this.#taken[question] === 0 ? this.#bestSpan(question, limit) : null
    if (!asked && this.#taken[question] === 0) return null
    this.#stamp++
    let gain = 0
    let tokens = this.#header(message)
    for (const clause of clauses) {
      gain += this.#gain(clause.terms, message)
      tokens += clause.tokens
    }
    const extracts: Extract[] = [{ unit: index, from: 0, to: clauses.length - 1, group: index }]
    if (asked) {
      gain += asked.gain
      tokens += asked.tokens
      extracts.unshift({ unit: question, from: asked.from, to: asked.to, group: index })
    } else if (gain === 0) gain = 1
    if (tokens > limit || gain < MIN_GAIN) return null
    return { score: (gain * factor) / tokens ** this.#lengthPower, tokens, extracts }
  }

  /** The run of clauses, none of them taken yet, that adds the most for its tokens. */
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
        gain += this.#gain(clause.terms, message)
        tokens += clause.tokens
        if (tokens > limit) break
        if (clause.bindsNext || gain < MIN_GAIN) continue
        const cut =
          (from > 0 && !(taken & (1 << (from - 1))) ? CUT_START_TOKENS : 0) +
          (to + 1 < clauses.length ? CUT_END_TOKENS : 0)
        const score = gain / (tokens + cut) ** this.#lengthPower
        if (score > bestScore) {
          bestScore = score
          best = { from, to, gain, tokens }
        }
      }
    }
    return best
  }

  /** The tokens of the line before its first word. */
  #header(message: number): number {
    if (this.#touched[message]) return 0
    if (this.#joins(message, -1) || this.#joins(message, 1)) return JOINT_TOKENS
    const speaker = this.#range.speakers[message]!
    let tokens = this.#headerTokens.get(speaker)
    if (tokens === undefined) {
      tokens = estimateTokens(`\n- ${speaker}:`)
      this.#headerTokens.set(speaker, tokens)
    }
    return tokens + (this.#daysTouched.has(this.#range.days[message]!) ? 0 : DAY_TOKENS)
  }

  /** Whether the message goes on with a line of the same person, told right before or behind it. */
  #joins(message: number, step: number): boolean {
    const { speakers, days } = this.#range
    for (
      let at = message + step;
      Math.abs(at - message) <= NEAR_MESSAGES && at >= 0 && at < days.length;
      at += step
    )
      if (this.#touched[at]) return speakers[at] === speakers[message] && days[at] === days[message]
    return false
  }

  #isForeign(message: number): boolean {
    return isForeign(this.#range.messages[message]!)
  }

  #gain(terms: readonly number[], message: number): number {
    const weights = this.#isForeign(message) ? this.#foreignWeights : this.#weights
    let gain = 0
    for (const term of terms) {
      if (this.#stamps[term] === this.#stamp) continue
      this.#stamps[term] = this.#stamp
      gain += weights[term]!
    }
    return gain
  }

  #factor(unit: Unit): number {
    if (unit.kind === 'code') return CODE_FACTOR
    if (unit.kind === 'tool') return TOOL_FACTOR
    const asks = unit.isQuestion && !unit.isAnswered && !this.#lastBySpeaker[unit.message]
    const question = asks ? QUESTION_FACTOR ** this.#signPower : 1
    const cue =
      (unit.hasCue ? CUE_FACTOR : 1) * unit.worth ** this.#signPower * (unit.isStale ? STALE_FACTOR : 1)
    const { role } = this.#range.messages[unit.message]!
    const speaker = role === 'system' ? SYSTEM_FACTOR : role === 'assistant' ? this.#assistantFactor : 1
    return question * cue * speaker
  }
}

/** Where messages are a few words each, signs tell more than words about what matters. */
export function signPower({ terseness }: Range): number {
  return MIN_SIGN_POWER + (MAX_SIGN_POWER - MIN_SIGN_POWER) * terseness
}

/** Messages after which no other person speaks: a question in them is open. */
function unansweredMessages({ messages, identities }: Range): boolean[] {
  const last = identities.at(-1)
  const open = messages.map(() => false)
  for (let index = messages.length - 1; index >= 0 && identities[index] === last; index--) open[index] = true
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
  return Math.min(ASSISTANT_FACTOR, Math.max(MIN_ASSISTANT_FACTOR, Math.sqrt(ratio)))
}
