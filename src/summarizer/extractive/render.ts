import { formatDay } from '../calendar-day.ts'
import type { Extract } from './choose.ts'
import type { Range } from './units.ts'

/**
 * One line for each stretch of one speaker, in the order of the conversation; the day stands where it changes.
 * Every line begins with a dash and a name, so that no content can pose as a heading or as someone else.
 */
export function renderLines(range: Range, extracts: readonly Extract[]): string {
  const ordered = extracts.toSorted((left, right) => left.unit - right.unit || left.from - right.from)
  const lines: string[] = []
  let day: string | null = null
  let speaker: string | null = null
  let text = ''
  let previous: Extract | null = null
  for (const extract of ordered) {
    const unit = range.units[extract.unit]!
    const saidBy = range.speakers[unit.message]!
    const saidOn = formatDay(range.days[unit.message]!)
    const continues = previous !== null && previous.unit === extract.unit && previous.to + 1 === extract.from
    const clauses = unit.clauses.slice(extract.from, extract.to + 1).map(clause => clause.text)
    const words = continues ? clauses.join('') : trimStart(clauses.join(''))
    // Marks alone leave nothing behind the name.
    if (trimEnd(words) === '') continue
    if (saidBy === speaker && saidOn === day) text += `${continues ? '' : joint(text, extract)}${words}`
    else {
      if (text !== '') lines.push(trimEnd(text))
      text = `- ${saidOn === day ? '' : `${saidOn} `}${saidBy}: ${words}`
      day = saidOn
      speaker = saidBy
    }
    previous = extract
  }
  if (text !== '') lines.push(trimEnd(text))
  return lines.join('\n')
}

/** A whole sentence of somebody, as it would stand behind the dash and the day. */
export function renderSentence({ units, speakers }: Range, unit: number): string {
  const { clauses, message } = units[unit]!
  return `${speakers[message]}: ${trimEnd(trimStart(clauses.map(clause => clause.text).join('')))}`
}

/** Between two extracts: where a sentence ended and another begins no mark is needed. */
function joint(text: string, next: Extract): string {
  return next.from === 0 && /[.!?…。！？\]]["')\]”’」』）]*$/u.test(text) ? ' ' : ' … '
}

/** What only tied the extract to what stood before it. */
function trimStart(words: string): string {
  return words.replace(/^(?:[\s,;:.!)\-–—，；：、。！]+|and |y |und |et |e |и )+/u, '')
}

function trimEnd(line: string): string {
  return line.replace(/[\s,;:，；：、!！–—-]+$/u, '')
}
