import type { Language } from '../../language/index.ts'
import type { Person, Spoken } from '../../log/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { dayInZone, formatDay } from '../calendar-day.ts'
import { clip } from '../clip.ts'
import { type DateMention, readDays } from '../relative-dates.ts'
import { identityOf, speakerIn, whoSpeaks } from '../speakers.ts'
import type { DatedEvent, SourceMessage } from '../summarizer.ts'
import { answeredPrefix, isForeign, languageOfSource, spokenBy, toldApart } from '../told-apart.ts'
import { belongTogether, isOpenNegation } from './negations.ts'
import { type Passage, readPassages } from './readable.ts'
import { splitSentences } from './sentences.ts'
import { tellsNeed } from './signals.ts'
import { type Reading, Vocabulary } from './terms.ts'
import { type Person as Speaker, tieUnits } from './ties.ts'
import { BINDS_BACK, BINDS_FORWARD, UNSPACED_CUE } from './word-lists.ts'

/** A sentence of the range, with all that the choice needs to know of it. */
export interface Unit {
  /** Index of the message. */
  readonly message: number
  readonly clauses: readonly Clause[]
  /** What stands before it where it is told: what its message answers. */
  readonly before: string
  readonly kind: Passage['kind']
  readonly isQuestion: boolean
  readonly hasCue: boolean
  /** Index of the question that this answers. */
  readonly question: number | null
  /** Indexes of the sentences without which this one would say something else. */
  readonly needs: readonly number[]
  /** It says nothing by itself: it is told only where another one needs it. */
  readonly isLost: boolean
  /** What it says holds no more at the end of the range. */
  readonly isStale: boolean
  /** A question that was answered. */
  readonly isAnswered: boolean
  /** How much more than its words it is worth: 1 for what tells something like any other. */
  readonly worth: number
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
  /** A value in it was corrected, which is said behind it: without that it would be wrong. */
  readonly isCorrected: boolean
}

export interface Range {
  readonly messages: readonly SourceMessage[]
  /** Of each message, as it is written. */
  readonly speakers: readonly string[]
  /** Of each message: two may be written alike, and one otherwise after a change of name. */
  readonly identities: readonly string[]
  /** The day of each message in its own zone, as `calendar-day` counts. */
  readonly days: readonly number[]
  readonly units: readonly Unit[]
  readonly vocabulary: Vocabulary
  readonly events: readonly DatedEvent[]
  /** From 0, where people write in sentences, to 1, where a message is a few words. */
  readonly terseness: number
}

/** Characters after which a step ends: well under a millisecond of work. */
const STEP_CHARACTERS = 800
const MAX_EVENT_CHARACTERS = 240
/** Of the day that a relative date means: in a later reader's hands it is the part that is lost for good. */
const DATE_WEIGHT = 2.5
const NO_DAYS = { dates: [], open: [] } as const

export function* readRange(
  given: readonly SourceMessage[],
  zone: string,
  people: readonly Person[] = [],
): Generator<void, Range, void> {
  const messages = toldApart(given)
  const language = messages === given || !messages.some(isForeign) ? null : languageOfSource(given)
  const vocabulary = new Vocabulary()
  const units: Unit[] = []
  const dated: { readonly unit: number; readonly on: string }[] = []
  const persons: Speaker[] = []
  const speakers: string[] = []
  const days: number[] = []
  const who = whoSpeaks(messages, people)
  const nameOf = (message: Spoken) => who.nameOf(message)
  let work = 0

  for (const [index, message] of messages.entries()) {
    const speaker =
      language === null || !isForeign(message) ? speakerIn(who, message) : spokenBy(message, nameOf, language)
    speakers.push(speaker)
    // What somebody passed on is no stretch of what they say themselves.
    const id = isForeign(message) ? `${identityOf(message)} ${speaker}` : identityOf(message)
    persons.push({ id, name: message.sender?.name ?? message.sender?.id ?? '' })
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
          dated.push({ unit: units.length, on: dates[0]!.from })
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
          before: '',
          kind,
          isQuestion: sentence.isQuestion,
          hasCue: kind === 'prose' && (readings.some(reading => reading.hasCue) || UNSPACED_CUE.test(joined)),
          question: null,
          needs: [],
          isLost: false,
          isStale: false,
          isAnswered: false,
          worth: 1,
        })
        work += 20 + joined.length
        if (work > STEP_CHARACTERS) {
          yield
          work = 0
        }
      }
    }
    work += 50
  }
  const tied = behindAnswered(yield* tieUnits(units, messages, { persons, vocabulary }), messages, {
    nameOf,
    language: language ?? languageOfSource(given),
  })
  const events = dated.flatMap(({ unit, on }) => eventOf(tied[unit]!, on, { messages, speakers }))
  const identities = persons.map(({ id }) => id)
  return {
    messages,
    speakers,
    identities,
    days,
    units: tied,
    vocabulary,
    events,
    terseness: tersenessOf(units),
  }
}

/** Tokens of a message, on average: of those who write in sentences, and of those who write a few words. */
const WORDY_TOKENS = 12
const TERSE_TOKENS = 7

function tersenessOf(units: readonly Unit[]): number {
  let messages = 0
  let tokens = 0
  let last = -1
  for (const { message, clauses } of units) {
    if (message !== last) messages++
    last = message
    for (const clause of clauses) tokens += clause.tokens
  }
  if (messages < MIN_TERSE_MESSAGES) return 0
  return Math.min(1, Math.max(0, (WORDY_TOKENS - tokens / messages) / (WORDY_TOKENS - TERSE_TOKENS)))
}

/** Of fewer, a mean says nothing. */
const MIN_TERSE_MESSAGES = 8

/** What was corrected since is no event of its day, and what is longer than an event is told up to a clause's end. */
function eventOf(
  { before, clauses, message, needs, isQuestion, isStale, isLost }: Unit,
  on: string,
  { messages, speakers }: Pick<Range, 'messages' | 'speakers'>,
): DatedEvent[] {
  // What needs another sentence would say something else alone, and what is asked has not happened.
  if (isStale || isLost || isQuestion || needs.length > 0) return []
  const said = clip(
    clauses
      .map(({ text }) => text)
      .join('')
      .trim(),
    MAX_EVENT_CHARACTERS,
  )
  return [{ on, text: `${speakers[message]}: ${before}${said}`, seq: messages[message]!.seq }]
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
        next !== undefined &&
        (BINDS_FORWARD.test(text.trimStart()) ||
          BINDS_BACK.test(next.trimStart()) ||
          belongTogether(text, next) ||
          (tellsNeed(text) && text.length + next.length <= MAX_NEED_CHARACTERS) ||
          (index > 0 && isOpenNegation(texts[index - 1]!))),
      mayHoldDetails: hasExact || said !== text || DETAIL_MARK.test(text),
      isCorrected: false,
    }
  })
}

/**
 * What it answers, before the first sentence of a message whose question is not told with it. Such an answer is told
 * whole: of half of it nobody could say what it answers.
 */
function behindAnswered(
  units: readonly Unit[],
  messages: readonly SourceMessage[],
  { nameOf, language }: { readonly nameOf: (message: Spoken) => string; readonly language: Language },
): readonly Unit[] {
  return units.map((unit, index) => {
    const begins = units[index - 1]?.message !== unit.message
    const before =
      begins && unit.question === null ? answeredPrefix(messages[unit.message]!, nameOf, language) : ''
    if (before === '') return unit
    const clauses = unit.clauses.map((clause, at) => ({
      ...clause,
      tokens: clause.tokens + (at === 0 ? estimateTokens(before) : 0),
      bindsNext: at < unit.clauses.length - 1,
    }))
    return { ...unit, before, clauses }
  })
}

/** With what follows from it. */
const MAX_NEED_CHARACTERS = 120

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
