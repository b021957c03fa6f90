import { formatDay } from '../calendar-day.ts'
import type { Extract } from './choose.ts'
import type { Range } from './units.ts'

/** How many questions are followed up from an answer: an answer may be a question again. */
const MAX_DEPTH = 4

/** In the order of the conversation, but with an answer right under its question. */
function inOrder(range: Range, extracts: readonly Extract[]): Extract[] {
  const shown = new Set(extracts.map(({ unit }) => unit))
  const placeOf = (unit: number, depth = 0): number[] => {
    const { question } = range.units[unit]!
    const isUnder = question !== null && shown.has(question) && depth < MAX_DEPTH
    return isUnder ? [...placeOf(question, depth + 1), unit] : [unit]
  }
  return extracts
    .map(extract => ({ extract, place: [...placeOf(extract.unit), extract.from] }))
    .sort((left, right) => compare(left.place, right.place))
    .map(({ extract }) => extract)
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((each, index) => each !== right[index])
  return at < 0 ? left.length - right.length : left[at]! - (right[at] ?? -1)
}

/**
 * Questions that are told without their answers, where the answer to another question would stand under them.
 */
export function misleadingQuestions(range: Range, extracts: readonly Extract[]): Extract[] {
  const shown = new Set(extracts.map(({ unit }) => unit))
  const ordered = inOrder(range, extracts)
  return ordered.filter(({ unit }, index) => {
    const next = ordered[index + 1]
    if (next === undefined || !range.units[unit]!.isQuestion) return false
    const { question } = range.units[next.unit]!
    return question !== null && question !== unit && !shown.has(question)
  })
}

/**
 * One line for each stretch of one speaker, in the order of the conversation. The day stands where it
 * changes. Every line begins with a dash and a name, so that no content can pose as a heading or as another
 * person.
 */
export function renderLines(range: Range, extracts: readonly Extract[]): string {
  const ordered = inOrder(range, extracts)
  const lines: string[] = []
  let day: string | null = null
  let speaker: string | null = null
  let identity: string | null = null
  let text = ''
  let previous: Extract | null = null
  for (const extract of ordered) {
    const unit = range.units[extract.unit]!
    const saidBy = range.speakers[unit.message]!
    const saidAs = range.identities[unit.message]!
    const saidOn = formatDay(range.days[unit.message]!)
    const continues = previous !== null && previous.unit === extract.unit && previous.to + 1 === extract.from
    const clauses = unit.clauses.slice(extract.from, extract.to + 1).map(clause => clause.text)
    const words = continues ? clauses.join('') : trimStart(clauses.join(''))
    // With marks alone, nothing would stand behind the name.
    if (trimEnd(words) === '') continue
    const told = extract.from === 0 ? `${unit.before}${words}` : words
    // Lines are joined by person, not by name. The same person under another name begins another line.
    if (saidAs === identity && saidBy === speaker && saidOn === day)
      text += `${continues ? '' : joint(text, extract)}${told}`
    else {
      if (text !== '') lines.push(trimEnd(text))
      text = `- ${saidOn === day ? '' : `${saidOn} `}${saidBy}: ${told}`
      day = saidOn
      speaker = saidBy
      identity = saidAs
    }
    previous = extract
  }
  if (text !== '') lines.push(trimEnd(text))
  return lines.join('\n')
}

/** A whole sentence with its speaker, as it would stand behind the dash and the day. */
export function renderSentence({ units, speakers }: Range, unit: number): string {
  const { before, clauses, message } = units[unit]!
  return `${speakers[message]}: ${before}${trimEnd(trimStart(clauses.map(clause => clause.text).join('')))}`
}

/** Stands between two extracts. Where a sentence ended and another begins, no mark is needed. */
function joint(text: string, next: Extract): string {
  return next.from === 0 && /[.!?…。！？\]]["')\]”’」』）]*$/u.test(text) ? ' ' : ' … '
}

/** Cuts off what only tied the extract to the words before it. */
function trimStart(words: string): string {
  return words.replace(/^(?:[\s,;:.!)\-–—，；：、。！]+|and |y |und |et |e |и )+/u, '')
}

function trimEnd(line: string): string {
  return line.replace(/[\s,;:，；：、!！–—-]+$/u, '')
}
