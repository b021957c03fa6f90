import { estimateTokens } from '../../tokens/index.ts'
import { forEachMatch } from '../for-each-match.ts'
import { type Extract, signPower } from './choose.ts'
import { Heap } from './heap.ts'
import { isConditional, isNegated } from './negations.ts'
import type { Range, Unit } from './units.ts'

/**
 * The exact things of a range that its summary does not say: names, numbers, dates, links, addresses, ids and
 * quoted words. Each is told with its speaker and a few words around it.
 */

interface Detail {
  readonly text: string
  readonly terms: readonly number[]
  readonly tokens: number
  /** What the detail is worth beside its terms: a link cannot be guessed, but a reader may know a name. */
  readonly bonus: number
  /** The worth of the sentence that the detail stands in: above or below 1, more or less than its words. */
  readonly worth: number
}

/** Letters of the scripts that have capitals. */
const LATIN = String.raw`A-Za-z\u00c0-\u024f`
const SMALL = String.raw`${LATIN}\u0370-\u03ff\u0400-\u04ff'’&\-`
const CAPITAL = String.raw`[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]`

const LINK = String.raw`(?:https?:\/\/|www\.)[^\s<>"'“”）)】」，。]{3,}`
const ADDRESS = String.raw`[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,4}`
const QUOTED = `"[^"]{2,60}"|“[^”]{2,60}”|「[^」]{1,40}」|『[^』]{1,40}』|《[^》]{1,40}》|«[^»]{2,60}»`
const FIGURE = String.raw`(?<![${LATIN}\d])[$€£¥₹#+]?[${LATIN}_\-]{0,20}\d[${LATIN}\d_]*(?:[.,:\/\-][${LATIN}\d]+)*(?:\s?[%€£¥°年月日号點点时分元円块万億亿岁歳人天周週个個])?`
const NAME_WORD = `${CAPITAL}[${SMALL}]*`
const NAME = String.raw`(?<![${SMALL}\d])${NAME_WORD}(?: (?:(?:of|the|de|la|van|von|del|da|and) )?${NAME_WORD}){0,5}`
const EXACT = new RegExp(`(${LINK}|${ADDRESS})|(${QUOTED})|(${FIGURE})|(${NAME})`, 'g')

const LINK_BONUS = 4
const QUOTE_BONUS = 1.5
const FIGURE_BONUS = 1
const NAME_BONUS = 0.5

/** A question does not state what it asks. */
const QUESTION_WORTH = 0.3

const WORDS_BEFORE = 4
const WORDS_AFTER = 3
const WIDE_BEFORE = 8
const WIDE_AFTER = 5

export function* chooseDetails(
  range: Range,
  weights: Float64Array,
  isSaid: (exact: string) => boolean,
  limit = Number.POSITIVE_INFINITY,
): Generator<void, string[], void> {
  const details = yield* findDetails(range, isSaid)
  const heap = new Heap()
  const score = ({ terms, tokens, bonus, worth }: Detail) => {
    let gain = 0
    for (const term of terms) gain += weights[term]!
    // All of its terms are told already, perhaps in other words: only quotations, figures and links still
    // count.
    return gain === 0 && bonus <= NAME_BONUS ? 0 : (worth * (gain + bonus)) / tokens
  }
  for (const [index, detail] of details.entries()) {
    heap.push(index, score(detail))
    if (index % 200 === 199) yield
  }

  const chosen: string[] = []
  let left = limit
  let steps = 0
  while (heap.size > 0 && left > 0) {
    if (++steps % 100 === 0) yield
    const index = heap.pop()!
    const detail = details[index]!
    if (detail.tokens > left) continue
    const current = score(detail)
    if (current === 0) continue
    if (current < heap.topScore) {
      heap.push(index, current)
      continue
    }
    chosen.push(detail.text)
    left -= detail.tokens
    for (const term of detail.terms) weights[term] = 0
  }
  while (chosen.length > 0 && limit < Number.POSITIVE_INFINITY && listTokens(chosen) > limit) chosen.pop()
  return chosen
}

/** The cost as the details are rendered: one list line each. */
function listTokens(details: readonly string[]): number {
  return estimateTokens(details.map(detail => `- ${detail}`).join('\n'))
}

/** The exact things that the extracts say. */
export function exactIn(range: Range, extracts: readonly Extract[]): ReadonlySet<string> {
  const said = new Set<string>()
  for (const { unit, from, to } of extracts)
    for (const { text } of range.units[unit]!.clauses.slice(from, to + 1))
      forEachMatch(EXACT, text, ([exact]) => said.add(exact))
  return said
}

function* findDetails(range: Range, isSaid: (exact: string) => boolean): Generator<void, Detail[], void> {
  const details: Detail[] = []
  const power = signPower(range)
  const found = new Set<string>()
  // One line may hold several exact things, and is told once.
  const lines = new Set<string>()
  let work = 0
  for (const unit of range.units) {
    const { clauses, message, kind, needs, isStale, isLost, isQuestion } = unit
    const speaker = range.speakers[message]!
    const isTold = kind !== 'code' && kind !== 'tool'
    // Alone, such a sentence would say something else. A link is kept all the same: it stands nowhere else.
    const hasLink = clauses.some(({ text }) => /https?:\/\//.test(text))
    if ((isStale || isLost || needs.length > 0) && !hasLink) continue
    for (const [at, { text, mayHoldDetails }] of clauses.entries()) {
      if (++work > STEP_WORK) {
        yield
        work = 0
      }
      if (!mayHoldDetails) continue
      work += text.length
      forEachMatch(EXACT, text, match => {
        const exact = match[0]
        if (found.has(exact) || isSaid(exact)) return
        if (match[4] !== undefined && !isRealName(exact, range)) return
        found.add(exact)
        const around = told(unit, at, match)
        if (around === null || around.length < 3) return
        const line = `${speaker}: ${around}`
        if (lines.has(line)) return
        lines.add(line)
        const bonus = match[1] ? LINK_BONUS : match[2] ? QUOTE_BONUS : match[3] ? FIGURE_BONUS : NAME_BONUS
        details.push({
          text: line,
          terms: [...range.vocabulary.known(around)],
          tokens: estimateTokens(`- ${line}\n`),
          bonus: isTold ? bonus : bonus / 4,
          worth: unit.worth ** power * (isQuestion ? QUESTION_WORTH : 1),
        })
        work += 200
      })
    }
  }
  return details
}

const STEP_WORK = 2_000

/** A capital at the start of a sentence makes no name, unless the word is a name elsewhere. */
function isRealName(exact: string, range: Range): boolean {
  for (const term of range.vocabulary.known(exact)) if (range.vocabulary.isName(term)) return true
  return false
}

const MAX_WHOLE_CHARACTERS = 90

/**
 * A few words around the exact thing. Where those could say something else without the rest (a "not", an
 * "if", a question, a value that was corrected), all that belongs together; `null` where that is too long.
 */
function told({ clauses, isQuestion }: Unit, at: number, match: RegExpMatchArray): string | null {
  let [from, to] = [at, at]
  while (from > 0 && clauses[from - 1]!.bindsNext) from--
  while (to + 1 < clauses.length && clauses[to]!.bindsNext) to++
  const together = clauses.slice(from, to + 1)
  const text = trimmed(together.map(clause => clause.text).join(''))
  const whole = isQuestion && !/[?？]$/u.test(text) ? `${text}?` : text
  const mayBeCut =
    !isQuestion &&
    !together.some(({ isCorrected }) => isCorrected) &&
    !isNegated(whole) &&
    !isConditional(whole)
  if (!mayBeCut) return whole.length <= MAX_WHOLE_CHARACTERS ? whole : null
  return surroundings(clauses[at]!.text, match.index!, match.index! + match[0].length)
}

function surroundings(text: string, start: number, end: number): string {
  let from = start
  for (let words = 0; from > 0 && words < WORDS_BEFORE && start - from < 60; words++) {
    if (isWide(text.charCodeAt(from - 1))) {
      from = Math.max(0, from - Math.ceil(WIDE_BEFORE / WORDS_BEFORE))
      continue
    }
    const space = text.lastIndexOf(' ', from - 2)
    from = space < 0 || from - space > 30 ? wordStart(text, from, space) : space + 1
  }
  let to = end
  for (let words = 0; to < text.length && words < WORDS_AFTER && to - end < 40; words++) {
    if (isWide(text.charCodeAt(to))) {
      to = Math.min(text.length, to + Math.ceil(WIDE_AFTER / WORDS_AFTER))
      continue
    }
    const space = text.indexOf(' ', to + 1)
    to = space < 0 ? text.length : Math.min(space, to + 30)
  }
  return trimmed(text.slice(from, to))
}

function trimmed(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\ufffd', '')
    .replace(/^[\s,;:.!)\-–—，；：、。！]+|[\s,;:(\-–—，；：、。.!！]+$/gu, '')
}

function wordStart(text: string, from: number, space: number): number {
  return space < 0 && from <= 30 ? 0 : text.indexOf(' ', Math.max(0, from - 30)) + 1 || from
}

function isWide(code: number): boolean {
  return code >= 0x2e80 && code <= 0x9fff
}
