import { realDay } from './calendar-day.ts'
import { COUNTED_UNITS, type DateUnit, type Meaning, MONTHS, PHRASES } from './date-words.ts'
import { findEastAsian } from './east-asian-days.ts'
import { forEachMatch } from './for-each-match.ts'
import type { Script, Tense } from './tense/tense.ts'

/** What the words for a day mean, before the moment and the clause are known. */
export type FoundMeaning =
  | Meaning
  | { readonly unit: 'fixed'; readonly day: number }
  /** A day of the calendar without a year. */
  | { readonly unit: 'date'; readonly month: number; readonly ofMonth: number }
  /** `offset`: the month, counted from the present one; `null`: the clause decides. */
  | { readonly unit: 'day-of-month'; readonly ofMonth: number; readonly offset: number | null }
  /**
   * `offset`: how many units from now. `needs`: the tense that the clause must have for it; `null`: any
   * tense.
   */
  | {
      readonly unit: 'count'
      readonly of: 'day' | 'month' | 'year'
      readonly offset: number
      readonly needs: Tense | null
    }

export interface DayWords {
  readonly start: number
  readonly end: number
  readonly meaning: FoundMeaning
  readonly script: Script
}

/** `meaning` is `null` where the words are no day and no day stands inside them. */
export type Found = Omit<DayWords, 'meaning'> & { readonly meaning: FoundMeaning | null }

const UNCLEAR = { unit: 'unclear' } as const

/**
 * The words for days in a text, in their order and without overlap. `lower` is the text as `lowerCase` gives
 * it.
 */
export function findDayWords(text: string, lower: string): DayWords[] {
  const found: Found[] = []
  findPhrases(text, lower, found)
  findCounts(lower, found)
  if (DIGIT.test(text)) findCalendarDates(text, lower, found)
  if (EAST_ASIAN.test(text)) findEastAsian(text, found)
  return withoutOverlaps(found).flatMap(({ meaning, ...rest }) =>
    meaning === null ? [] : { ...rest, meaning },
  )
}

const DIGIT = /\d/
/** Every East Asian date holds at least one of these. */
const EAST_ASIAN =
  /[天日昨今明周週期拜月年曜前后後号號주달제늘일레년해루틀흘]|あした|あさって|きのう|きょう|おととい/
/**
 * The letters of the languages in the tables. This set is narrower than all of Unicode, and many times as
 * fast.
 */
const WORD = /[a-z\d\u00df-\u024f\u0400-\u04ff]+/g
const WORD_CHARACTER = /[a-z\d\u00df-\u024f\u0400-\u04ff]/

/** Keeps the length of the text, so that positions hold in both. Makes spaces and apostrophes plain ones. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return (lower.length === text.length ? lower : text).replace(/[^\S\n]/g, ' ').replaceAll('’', "'")
}

/** Whether the match is no part of a longer word. */
function standsAlone(lower: string, start: number, end: number): boolean {
  return !WORD_CHARACTER.test(lower.charAt(start - 1)) && !WORD_CHARACTER.test(lower.charAt(end))
}

/**
 * "Over the last week", "that is so last year", "the last week of March" mean no week or year of the
 * calendar.
 */
const LOOSE_BEFORE = /(?:^|[^a-z])(?:the|so|over|a|every|in|during|whole|entire|within|first) $/
const LOOSE_AFTER = /^ (?:of|or so|or two|or three|in [a-z]|before|after|and a half|few|couple)(?![a-z])/
const LOOSE_SPAN = /^(?:next|last) (?:week|month|year|weekend)$/

/** A weekday inside an address is no day: monday.com, #friday, /files/friday */
const IN_ADDRESS = /[@#/_]/
const ADDRESS_GOES_ON = /^(?:[._/@][a-z\d]|_)/

function findPhrases(text: string, lower: string, found: Found[]): void {
  forEachMatch(WORD, lower, match => {
    const start = match.index
    const phrase = PHRASES.get(match[0])?.find(
      ({ words }) => lower.startsWith(words, start) && standsAlone(lower, start, start + words.length),
    )
    if (phrase === undefined) return
    const end = start + phrase.words.length
    if (
      IN_ADDRESS.test(lower.slice(Math.max(0, start - 1), start)) ||
      ADDRESS_GOES_ON.test(lower.slice(end, end + 2))
    )
      return
    const { meaning, isEnglish } = phrase
    // With a capital, the word begins a noun or a greeting: "der Morgen", "Morgen!".
    if (phrase.words === 'morgen' && text.charAt(start) === 'M') return
    const before = lower.slice(Math.max(0, start - 10), start)
    const isLoose =
      isEnglish &&
      ((LOOSE_SPAN.test(phrase.words) &&
        (LOOSE_BEFORE.test(before) || LOOSE_AFTER.test(lower.slice(end, end + 12)))) ||
        (meaning?.unit === 'day' && /ago (?:on )?$/.test(before)))
    found.push({
      start,
      end,
      meaning: isLoose ? UNCLEAR : meaning,
      script: isEnglish ? 'english' : 'other',
    })
  })
}

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  ...{
    a: 1,
    an: 1,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
  },
  ...{
    eleven: 11,
    twelve: 12,
    un: 1,
    una: 1,
    dos: 2,
    tres: 3,
    cuatro: 4,
    cinco: 5,
    einem: 1,
    einer: 1,
    zwei: 2,
  },
  ...{ drei: 3, vier: 4, fünf: 5, deux: 2, trois: 3, quatre: 4, cinq: 5, um: 1, uma: 1, dois: 2, duas: 2 },
}
const NUMBER = `(\\d{1,3}|${Object.keys(NUMBER_WORDS).sort(longestFirst).join('|')})`
const UNIT = `(${COUNTED_UNITS.map(([names]) => names).join('|')})`
const UNITS = new Map(COUNTED_UNITS.flatMap(([names, ...rest]) => names.split('|').map(name => [name, rest])))
const ENGLISH_UNIT = /^(?:days?|weeks?|months?|years?)$/
interface CountPattern {
  readonly hint: RegExp
  readonly pattern: RegExp
  readonly sign: 1 | -1
  /** The same words may also tell how long something took: "I read it in three days". */
  readonly mayLast: boolean
}
const COUNT_PATTERNS: readonly CountPattern[] = [
  {
    hint: / (?:ago|back|назад|atrás)/,
    pattern: new RegExp(`${NUMBER} ${UNIT} (?:ago|back|назад|atrás)`, 'g'),
    sign: -1,
    mayLast: false,
  },
  {
    hint: / from now/,
    pattern: new RegExp(`${NUMBER} ${UNIT} from now`, 'g'),
    sign: 1,
    mayLast: false,
  },
  {
    hint: /hace |vor |il y a |há /,
    pattern: new RegExp(`(?:hace|vor|il y a|há) ${NUMBER} ${UNIT}`, 'g'),
    sign: -1,
    mayLast: false,
  },
  {
    hint: /in |dentro de |dans |daqui a |через /,
    pattern: new RegExp(`(?:in|dentro de|dans|daqui a|через) ${NUMBER} ${UNIT}`, 'g'),
    sign: 1,
    mayLast: true,
  },
]

/**
 * The count is not exact, or not whole: "about two weeks ago", "two or three days ago", "twenty two years
 * ago", "1.5 years ago".
 */
const ABOUT =
  /(?:about|around|almost|nearly|over|more than|less than|roughly|some|like|maybe|perhaps|probably|or|to|and|at least|up to|every|another|hundred|thousand|teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|half|not even|only just|approximately|approx|ca|circa|until|till)[ -]$|[-~–.,/\d]$/
const OR_SO = /^(?: or so| or two| tops|ish| max| or more| or less| earlier| and a half)/

function longestFirst(left: string, right: string): number {
  return right.length - left.length
}

function findCounts(lower: string, found: Found[]): void {
  for (const { hint, pattern, sign, mayLast } of COUNT_PATTERNS) {
    if (!hint.test(lower)) continue
    forEachMatch(pattern, lower, match => {
      const start = match.index
      const end = start + match[0].length
      if (!standsAlone(lower, start, end)) return
      const isEnglish = ENGLISH_UNIT.test(match[2]!)
      const number = Number(match[1]) || NUMBER_WORDS[match[1]!] || 0
      const [unit, days] = UNITS.get(match[2]!)! as [DateUnit, number]
      const isAbout =
        ABOUT.test(lower.slice(Math.max(0, start - 16), start)) || OR_SO.test(lower.slice(end, end + 12))
      const of = unit === 'month' || unit === 'year' ? unit : 'day'
      const offset = sign * number * (of === 'day' ? days : 1)
      const needs = mayLast && isEnglish ? 'ahead' : null
      const meaning: FoundMeaning = isAbout ? UNCLEAR : { unit: 'count', of, offset, needs }
      found.push({ start, end, meaning, script: isEnglish ? 'english' : 'other' })
    })
  }
}

const MONTH = [...MONTHS.keys()].sort(longestFirst).join('|')
const ISO_DATE = /(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/g
const DAY_MONTH = new RegExp(
  `(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)? (?:of |de )?(${MONTH})\\.?(?:,? (?:de )?(\\d{4}))?`,
  'g',
)
const MONTH_DAY = new RegExp(
  `(${MONTH})\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?(?!:|[.,]\\d)`,
  'g',
)
/**
 * These names are other words as well. They count only with a capital, or behind words that make them a date.
 */
const DOUBTFUL_MONTHS = /^(?:may|march|mar|mars|mai|dec|sep|jan|jun)$/
const BEFORE_DATE = /(?:^|[^a-z])(?:on|by|until|till|since|from|before|after|to|for|le|of|due|ends|starts) $/
const OF_MONTH =
  /(?:on|by|until|till|before|for|is|was|from|to|due|from) (the (\d{1,2})(?:st|nd|rd|th)(?: of (next|this|last) month)?)/g
const ENDS_OF_MONTH =
  /^ *(?:$|[,.!?;:)\n]|(?:at|in the|and|so|but|because|if|when|morning|afternoon|evening|night|then|instead|too|please|pls|works|is)(?![a-z]))/
const MONTH_OFFSETS: Readonly<Record<string, number>> = { next: 1, this: 0, last: -1 }

function findCalendarDates(text: string, lower: string, found: Found[]): void {
  const add = (match: RegExpExecArray, meaning: FoundMeaning | null) => {
    const start = match.index
    const end = start + match[0].length
    if (meaning !== null && standsAlone(lower, start, end))
      found.push({ start, end, meaning, script: 'english' })
  }
  const isMonth = (match: RegExpExecArray, month: string) => {
    if (!DOUBTFUL_MONTHS.test(month)) return true
    const at = match.index + match[0].indexOf(month)
    const isCapital = text.charAt(at) !== lower.charAt(at)
    const isAtStart = /(?:^|[.!?\n] *)$/.test(lower.slice(Math.max(0, match.index - 3), match.index))
    if (isCapital)
      return (
        !isAtStart || match.index !== at || /(?:st|nd|rd|th|\d{4})$|^$/.test(match[0]) || endsThere(match)
      )
    return (
      BEFORE_DATE.test(lower.slice(Math.max(0, match.index - 8), match.index)) ||
      /\d(?:st|nd|rd|th)/.test(match[0])
    )
  }
  const endsThere = (match: RegExpExecArray) =>
    /^ *(?:$|[,.!?;:)\n])/.test(lower.slice(match.index + match[0].length, match.index + match[0].length + 2))
  forEachMatch(ISO_DATE, lower, match => {
    const day = realDay(Number(match[1]), Number(match[3]), Number(match[4]))
    add(match, day === null ? null : { unit: 'fixed', day })
  })
  forEachMatch(DAY_MONTH, lower, match => {
    if (isMonth(match, match[2]!)) add(match, dateMeaning(MONTHS.get(match[2]!)!, Number(match[1]), match[3]))
  })
  forEachMatch(MONTH_DAY, lower, match => {
    if (isMonth(match, match[1]!)) add(match, dateMeaning(MONTHS.get(match[1]!)!, Number(match[2]), match[3]))
  })
  forEachMatch(OF_MONTH, lower, match => {
    const end = match.index + match[0].length
    const ofMonth = Number(match[2])
    if (
      ofMonth < 1 ||
      ofMonth > 31 ||
      (match[3] === undefined && !ENDS_OF_MONTH.test(lower.slice(end, end + 12)))
    )
      return
    const offset = match[3] === undefined ? null : MONTH_OFFSETS[match[3]]!
    const start = end - match[1]!.length
    if (standsAlone(lower, match.index, end))
      found.push({ start, end, meaning: { unit: 'day-of-month', ofMonth, offset }, script: 'english' })
  })
}

/** `null`: the calendar has no such day. */
export function dateMeaning(month: number, ofMonth: number, year: string | undefined): FoundMeaning | null {
  if (year === undefined)
    return realDay(2024, month, ofMonth) === null ? null : { unit: 'date', month, ofMonth }
  const day = realDay(Number(year), month, ofMonth)
  return day === null ? null : { unit: 'fixed', day }
}

function withoutOverlaps(found: Found[]): Found[] {
  found.sort((left, right) => left.start - right.start || right.end - left.end)
  const kept: Found[] = []
  let end = 0
  for (const mention of found)
    if (mention.start >= end) {
      kept.push(mention)
      end = mention.end
    }
  return kept
}
