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
  /** What stands before the sentence where it is told: the words that its message answers. */
  readonly before: string
  readonly kind: Passage['kind']
  readonly isQuestion: boolean
  readonly hasCue: boolean
  /** Index of the question that it answers. */
  readonly question: number | null
  /** Indexes of the sentences without which this one would say something else. */
  readonly needs: readonly number[]
  /** It says nothing by itself, so it is told only where another sentence needs it. */
  readonly isLost: boolean
  /** What it says is no longer so at the end of the range. */
  readonly isStale: boolean
  /** A question that has an answer. */
  readonly isAnswered: boolean
  /** A factor: how much more than its words the sentence is worth; 1 for an ordinary one. */
  readonly worth: number
}

interface Clause {
  /** On one line. A relative date carries the day that it means. */
  readonly text: string
  readonly terms: readonly number[]
  readonly tokens: number
  /** Cut off from the next clause, this clause or that one would say something else. */
  readonly bindsNext: boolean
  /** It is worth a look for names, figures and links. */
  readonly mayHoldDetails: boolean
  /**
   * A value in it was corrected, and the right value stands behind it. Without that, the clause would be
   * wrong.
   */
  readonly isCorrected: boolean
}

export interface Range {
  readonly messages: readonly SourceMessage[]
  /** The speaker of each message, as the name is written. */
  readonly speakers: readonly string[]
  /**
   * The person behind each message. Two people may be written alike, and one person in two ways after a
   * change of name.
   */
  readonly identities: readonly string[]
  /** The day of each message in its own zone, as `calendar-day` counts. */
  readonly days: readonly number[]
  readonly units: readonly Unit[]
  readonly vocabulary: Vocabulary
  readonly events: readonly DatedEvent[]
  /** From 0, where people write in sentences, to 1, where a message is a few words. */
  readonly terseness: number
}

/** A step ends after so many characters: well under a millisecond of work. */
const STEP_CHARACTERS = 800
const MAX_EVENT_CHARACTERS = 240
/**
 * The weight of the day that a relative date means. For a later reader, this is the part that is lost for
 * good.
 */
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
    // What a person passed on is no part of what the person says.
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
        // The text does not tell which day it is, but it speaks of a day.
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

/** Tokens of a message, on average: of people who write in sentences, and of people who write a few words. */
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

/** Of fewer messages, a mean says nothing. */
const MIN_TERSE_MESSAGES = 8

/** What was corrected later is no event of its day. A text that is too long for an event is cut. */
function eventOf(
  { before, clauses, message, needs, isQuestion, isStale, isLost }: Unit,
  on: string,
  { messages, speakers }: Pick<Range, 'messages' | 'speakers'>,
): DatedEvent[] {
  // A sentence that needs another one would say something else alone, and what is asked has not happened.
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
 * Puts what a message answers before its first sentence, where its question is not told with it. Such an
 * answer is told whole: from half of it, no reader could say what it answers.
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

/** Of a need, together with what follows from it. */
const MAX_NEED_CHARACTERS = 120

const DETAIL_MARK = /["“「『《«@]|www\./

/**
 * The relative dates that end within one of the clauses. A date of the same day is left out, because the line
 * says what day it is.
 */
function datesWithin(clauses: readonly string[], at: number, dates: readonly DateMention[]): DateMention[] {
  let start = 0
  for (let before = 0; before < at; before++) start += clauses[before]!.length
  const end = start + clauses[at]!.length
  return dates.filter(date => isToResolve(date) && date.end > start && date.end <= end)
}

/** The terms of the clause in which the place `end` lies. */
function termsAt(clauses: readonly string[], readings: readonly Reading[], end: number): number[] {
  let start = 0
  for (const [at, clause] of clauses.entries()) {
    start += clause.length
    if (end <= start) return readings[at]!.terms
  }
  return readings.at(-1)!.terms
}

/** The text with the day that is meant behind each relative date. */
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
