import { estimateTokens } from '../../tokens/index.ts'
import { dayInZone, formatDay } from '../calendar-day.ts'
import { clip } from '../clip.ts'
import { type DateMention, readDays } from '../relative-dates.ts'
import { speakerName } from '../speaker-name.ts'
import type { DatedEvent, SourceMessage } from '../summarizer.ts'
import { type Passage, readPassages } from './readable.ts'
import { splitSentences } from './sentences.ts'
import { type Reading, Vocabulary } from './terms.ts'
import { BARE_ANSWER, BINDS_BACK, BINDS_FORWARD, UNSPACED_CUE } from './word-lists.ts'

/** A sentence of the range, with all that the choice needs to know of it. */
export interface Unit {
  /** Index of the message. */
  readonly message: number
  readonly clauses: readonly Clause[]
  readonly kind: Passage['kind']
  readonly isQuestion: boolean
  readonly hasCue: boolean
  /** Index of the question without which this answer means nothing. */
  readonly question: number | null
}

interface Clause {
  /** On one line; a relative date carries the day that it means. */
  readonly text: string
  readonly terms: readonly number[]
  readonly tokens: number
  /** Cut off from the clause behind it, it or that one would say something else. */
  readonly bindsNext: boolean
  /** Worth a look for names, figures and links. */
  readonly mayHoldDetails: boolean
}

export interface Range {
  readonly messages: readonly SourceMessage[]
  readonly speakers: readonly string[]
  /** The day of each message in its own zone, as `calendar-day` counts. */
  readonly days: readonly number[]
  readonly units: readonly Unit[]
  readonly vocabulary: Vocabulary
  readonly events: readonly DatedEvent[]
}

/** Characters after which a step ends: well under a millisecond of work. */
const STEP_CHARACTERS = 800
/** An answer of up to so many characters may lean on its question. */
const SHORT_ANSWER_CHARACTERS = 40
const MAX_EVENT_CHARACTERS = 240
/** Of the day that a relative date means: in a later reader's hands it is the part that is lost for good. */
const DATE_WEIGHT = 2.5
const NO_DAYS = { dates: [], open: [] } as const

export function* readRange(messages: readonly SourceMessage[], zone: string): Generator<void, Range, void> {
  const vocabulary = new Vocabulary()
  const units: Unit[] = []
  const events: DatedEvent[] = []
  const speakers: string[] = []
  const days: number[] = []
  const nameOf = rememberNames()
  let openQuestion: number | null = null
  let work = 0

  for (const [index, message] of messages.entries()) {
    const speaker = nameOf(message)
    speakers.push(speaker)
    const firstUnit = units.length
    const asked: number | null =
      openQuestion !== null && speakers[units[openQuestion]!.message] !== speaker ? openQuestion : null
    days.push(dayInZone(message.at, message.zone ?? zone))
    const moment = { at: message.at, zone: message.zone ?? zone }
    for (const { kind, text } of readPassages(message.content)) {
      for (const sentence of kind === 'prose' ? splitSentences(text) : [wholeSentence(text)]) {
        const joined = sentence.clauses.length === 1 ? sentence.clauses[0]! : sentence.clauses.join('')
        const readings = sentence.clauses.map((clause, at) => vocabulary.read(clause, units.length, at === 0))
        const mayHoldDates = kind === 'prose' && readings.some(reading => reading.hasDateWord)
        const read = mayHoldDates ? readDays(joined, moment) : NO_DAYS
        const { open } = read
        const dates = message.daysAreTold ? read.dates.filter(({ relative }) => !relative) : read.dates
        if (dates.length > 0) {
          const said = clip(withDays(joined, 0, dates).trim(), MAX_EVENT_CHARACTERS)
          events.push({ on: dates[0]!.from, text: `${speaker}: ${said}`, seq: message.seq })
          for (const [at, { terms }] of readings.entries())
            for (const { label } of datesWithin(sentence.clauses, at, dates))
              vocabulary.addSpecial(label, DATE_WEIGHT, units.length, terms)
        }
        // Which day it is was not told, but it was told of a day.
        if (open.length > 0) {
          const day = formatDay(days[index]!)
          for (const { start, end } of open)
            vocabulary.addSpecial(
              `${day} ${joined.slice(start, end).toLowerCase()}`,
              DATE_WEIGHT,
              units.length,
              termsAt(sentence.clauses, readings, end),
            )
        }
        units.push({
          message: index,
          clauses: joinClauses(sentence.clauses, readings, dates),
          kind,
          isQuestion: sentence.isQuestion,
          hasCue: kind === 'prose' && (readings.some(reading => reading.hasCue) || UNSPACED_CUE.test(joined)),
          question: units.length === firstUnit && isShortAnswer(text) ? asked : null,
        })
        work += 20 + joined.length
        if (work > STEP_CHARACTERS) {
          yield
          work = 0
        }
      }
    }
    const last = units.length - 1
    if (last >= firstUnit) openQuestion = lastQuestion(units, firstUnit)
    work += 50
  }
  return { messages, speakers, days, units, vocabulary, events }
}

/** The same few people speak again and again. */
function rememberNames(): (message: SourceMessage) => string {
  const names = new Map<string, string>()
  return message => {
    const key = `${message.role}\n${message.sender?.name ?? message.sender?.id ?? ''}`
    let name = names.get(key)
    if (name === undefined) {
      name = speakerName(message)
      names.set(key, name)
    }
    return name
  }
}

/** The last question of a message, where no more than a remark follows it. */
function lastQuestion(units: readonly Unit[], firstUnit: number): number | null {
  for (let index = units.length - 1; index >= firstUnit && index > units.length - 3; index--)
    if (units[index]!.isQuestion) return index
  return null
}

function isShortAnswer(text: string): boolean {
  return text.length <= SHORT_ANSWER_CHARACTERS
}

function wholeSentence(text: string): { clauses: string[]; isQuestion: boolean } {
  return { clauses: [clip(text, 300)], isQuestion: false }
}

function joinClauses(
  texts: readonly string[],
  readings: readonly Reading[],
  dates: readonly DateMention[],
): Clause[] {
  let start = 0
  return texts.map((text, index) => {
    const said = dates.length === 0 ? text : withDays(text, start, datesWithin(texts, index, dates))
    start += text.length
    const next = texts[index + 1]
    const { terms, hasExact } = readings[index]!
    return {
      text: said,
      terms,
      tokens: estimateTokens(said),
      bindsNext:
        next !== undefined && (BINDS_FORWARD.test(text.trimStart()) || BINDS_BACK.test(next.trimStart())),
      mayHoldDetails: hasExact || said !== text || DETAIL_MARK.test(text),
    }
  })
}

const DETAIL_MARK = /["“「『《«@]|www\./

/** The relative dates that end within one of the clauses; today's left out, for the line says what day it is. */
function datesWithin(clauses: readonly string[], at: number, dates: readonly DateMention[]): DateMention[] {
  let start = 0
  for (let before = 0; before < at; before++) start += clauses[before]!.length
  const end = start + clauses[at]!.length
  return dates.filter(date => isToResolve(date) && date.end > start && date.end <= end)
}

/** The terms of the clause in which something ends. */
function termsAt(clauses: readonly string[], readings: readonly Reading[], end: number): number[] {
  let start = 0
  for (const [at, clause] of clauses.entries()) {
    start += clause.length
    if (end <= start) return readings[at]!.terms
  }
  return readings.at(-1)!.terms
}

/** The day that is meant, put behind each relative date. */
export function withDays(text: string, start: number, dates: readonly DateMention[]): string {
  let said = ''
  let from = 0
  for (const date of dates.filter(isToResolve)) {
    const end = date.end - start
    said += `${text.slice(from, end)} (${date.label})`
    from = end
  }
  return said + text.slice(from)
}

function isToResolve({ relative, sameDay, resolved }: DateMention): boolean {
  return relative && !sameDay && !resolved
}

/** An answer such as "Yes" has no terms of its own: it is worth what its question asks. */
export function isBareAnswer(unit: Unit): boolean {
  return BARE_ANSWER.test(unit.clauses[0]!.text.trimStart())
}
