import { dayInZone, dayOf, dayParts, formatDay, realDay, weekday } from './calendar-day.ts'
import { COUNTED_UNITS, type DateUnit, type Meaning, MONTHS, PHRASES } from './date-words.ts'
import { forEachMatch } from './for-each-match.ts'

/**
 * Dates in running text, resolved at the moment when the text was written and in its zone, never at the
 * moment of reading: "last week" means another week tomorrow.
 *
 * A week begins on Monday. "Next Friday", 下周五 and 来週の金曜日 are the Friday of the following week, "last
 * Friday" is the latest one before that day, and a Friday with nothing before it is the coming one, or the one
 * just past where the sentence tells of the past.
 */

export interface Moment {
  readonly at: Date
  /** IANA zone. */
  readonly zone: string
}

export interface DateMention {
  /** Where it stands in the text. */
  readonly start: number
  readonly end: number
  /** First and last day that are meant, `YYYY-MM-DD`. */
  readonly from: string
  readonly to: string
  /** As short as it can be said: a day, `2026-02-23/03-01`, `2026-04`, `2027`. */
  readonly label: string
  /** Means something only together with the moment. */
  readonly relative: boolean
  /** The very day on which it was written. */
  readonly sameDay: boolean
  /** The day stands behind it already, in brackets, as a summary of this text would have put it. */
  readonly resolved: boolean
}

interface Found {
  readonly start: number
  readonly end: number
  readonly meaning: Meaning | { readonly unit: 'fixed'; readonly day: number } | null
}

export function findDates(text: string, moment: Moment): DateMention[] {
  const found: Found[] = []
  let today: number | null = null
  const now = () => {
    today ??= dayInZone(moment.at, moment.zone)
    return today
  }
  const lower = lowerCase(text)
  // Of the whole text, so that it is looked through once, however many days it names.
  let past: boolean | null = null
  const isPast = () => {
    past ??= tellsOfThePast(lower)
    return past
  }
  findPhrases(text, lower, found)
  findCounts(lower, found)
  if (DIGIT.test(text)) findCalendarDates(lower, now, found)
  if (EAST_ASIAN.test(text)) findEastAsian(text, now, found)
  if (found.length === 0) return []
  return withoutNamedDays(withoutOverlaps(found), lower).flatMap(({ start, end, meaning }) => {
    if (meaning === null) return []
    const [from, to, unit] = resolve(meaning, now(), isPast)
    if (!isSayable(from) || !isSayable(to)) return []
    return {
      start,
      end,
      from: formatDay(from),
      to: formatDay(to),
      label: label(from, to, unit),
      relative: meaning.unit !== 'fixed',
      sameDay: from === to && from === now(),
      resolved: RESOLVED.test(text.slice(end, end + 7)),
    }
  })
}

const DIGIT = /\d/
const RESOLVED = /^ \(\d{4}/
/** What every East Asian date has one of. */
const EAST_ASIAN =
  /[天日昨今明周週期拜月年曜前后後주달제늘일레년해루틀흘]|あした|あさって|きのう|きょう|おととい/
/** The letters of the languages in the tables; narrower than all of Unicode, and many times as fast. */
const WORD = /[a-z\u00df-\u024f\u0400-\u04ff]+/g
const WORD_CHARACTER = /[a-z\d\u00df-\u024f\u0400-\u04ff]/

/** Of the same length as the text, so that positions hold in both; white space as plain spaces. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return (lower.length === text.length ? lower : text).replace(/\s/g, ' ')
}

/** Where a word neither begins before the match nor goes on behind it. */
function standsAlone(lower: string, start: number, end: number): boolean {
  return !WORD_CHARACTER.test(lower.charAt(start - 1)) && !WORD_CHARACTER.test(lower.charAt(end))
}

function findPhrases(text: string, lower: string, found: Found[]): void {
  forEachMatch(WORD, lower, match => {
    const start = match.index
    const phrase = PHRASES.get(match[0])?.find(
      ({ words }) => lower.startsWith(words, start) && standsAlone(lower, start, start + words.length),
    )
    // With a capital it is the morning, or a greeting.
    if (!phrase || text.startsWith('Morgen', start)) return
    found.push({ start, end: start + phrase.words.length, meaning: phrase.meaning })
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
  ...{ 'a couple of': 2, un: 1, una: 1, dos: 2, tres: 3, cuatro: 4, cinco: 5, einem: 1, einer: 1, zwei: 2 },
  ...{ drei: 3, vier: 4, fünf: 5, deux: 2, trois: 3, quatre: 4, cinq: 5, um: 1, uma: 1, dois: 2, duas: 2 },
}
const NUMBER = `(\\d{1,3}|${Object.keys(NUMBER_WORDS).sort(longestFirst).join('|')})`
const UNIT = `(${COUNTED_UNITS.map(([names]) => names).join('|')})`
const UNITS = new Map(COUNTED_UNITS.flatMap(([names, ...rest]) => names.split('|').map(name => [name, rest])))
const COUNT_PATTERNS: readonly (readonly [hint: RegExp, pattern: RegExp, sign: number])[] = [
  [/ (?:ago|back|назад|atrás)/, new RegExp(`${NUMBER} ${UNIT} (?:ago|back|назад|atrás)`, 'g'), -1],
  [/hace |vor |il y a |há /, new RegExp(`(?:hace|vor|il y a|há) ${NUMBER} ${UNIT}`, 'g'), -1],
  [
    /in |dentro de |dans |daqui a |через /,
    new RegExp(`(?:in|dentro de|dans|daqui a|через) ${NUMBER} ${UNIT}`, 'g'),
    1,
  ],
]

function longestFirst(left: string, right: string): number {
  return right.length - left.length
}

function findCounts(lower: string, found: Found[]): void {
  for (const [hint, pattern, sign] of COUNT_PATTERNS) {
    if (!hint.test(lower)) continue
    forEachMatch(pattern, lower, match => {
      const start = match.index
      const end = start + match[0].length
      if (!standsAlone(lower, start, end)) return
      const number = Number(match[1]) || NUMBER_WORDS[match[1]!] || 0
      const [unit, days] = UNITS.get(match[2]!)! as [DateUnit, number]
      found.push({ start, end, meaning: { unit, offset: sign * number * (unit === 'day' ? days : 1) } })
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

function findCalendarDates(lower: string, now: () => number, found: Found[]): void {
  const add = (match: RegExpExecArray, day: number | null) => {
    const start = match.index
    const end = start + match[0].length
    if (day !== null && standsAlone(lower, start, end))
      found.push({ start, end, meaning: { unit: 'fixed', day } })
  }
  forEachMatch(ISO_DATE, lower, match =>
    add(match, realDay(Number(match[1]), Number(match[3]), Number(match[4]))),
  )
  forEachMatch(DAY_MONTH, lower, match =>
    add(match, calendarDay(match[3], MONTHS.get(match[2]!), match[1], now)),
  )
  forEachMatch(MONTH_DAY, lower, match =>
    add(match, calendarDay(match[3], MONTHS.get(match[1]!), match[2], now)),
  )
}

/** A day without a year is the one nearest to now. */
function calendarDay(
  year: string | undefined,
  month: number | undefined,
  day: string | undefined,
  now: () => number,
): number | null {
  if (month === undefined) return null
  if (year !== undefined) return realDay(Number(year), month, Number(day))
  const thisYear = dayParts(now()).year
  let nearest: number | null = null
  for (const candidateYear of [thisYear, thisYear - 1, thisYear + 1]) {
    const candidate = realDay(candidateYear, month, Number(day))
    if (candidate === null) continue
    if (nearest === null || Math.abs(candidate - now()) < Math.abs(nearest - now())) nearest = candidate
  }
  return nearest
}

/** Longer words stand before those that they begin with. */
const EAST_ASIAN_DAYS: readonly (readonly [pattern: string, offset: number])[] = [
  ['大前天', -3],
  ['大后天|大後天', 3],
  ['前天|一昨日|おととい|그저께|그제', -2],
  ['昨天|昨日|昨晚|昨夜|きのう|어제', -1],
  ['后天|後天|明後日|あさって|모레', 2],
  ['明天|明日|明晚|明早|あした|내일', 1],
  ['今天|今日|今晚|今早|今夜|きょう|오늘', 0],
]
const EAST_ASIAN_SPANS: readonly (readonly [pattern: string, unit: DateUnit, offset: number])[] = [
  ['先々週|上上(?:个|個)?(?:周|週|星期|礼拜)', 'week', -2],
  ['先週|上(?:个|個)?(?:周|週|星期|礼拜|禮拜)|지난\\s?주', 'week', -1],
  ['今週|(?:这|這|本)(?:个|個)?(?:周|週|星期|礼拜|禮拜)|이번\\s?주', 'week', 0],
  ['再来週|下下(?:个|個)?(?:周|週|星期|礼拜)', 'week', 2],
  ['来週|下(?:个|個)?(?:周|週|星期|礼拜|禮拜)|다음\\s?주', 'week', 1],
  ['先月|上(?:个|個)?月|지난\\s?달', 'month', -1],
  ['今月|(?:这|這|本)(?:个|個)?月|이번\\s?달', 'month', 0],
  ['来月|下(?:个|個)?月|다음\\s?달', 'month', 1],
  ['前年|一昨年', 'year', -2],
  ['去年|昨年|작년', 'year', -1],
  ['今年|올해', 'year', 0],
  ['明年|来年|내년', 'year', 1],
]
const HAN_WEEKDAYS = '一二三四五六日'
const KANA_WEEKDAYS = '月火水木金土日'
const HAN_DIGITS: Readonly<Record<string, number>> = {
  ...{ 一: 1, 二: 2, 两: 2, 兩: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9, 十: 10 },
  ...{ 하루: 1, 이틀: 2, 사흘: 3 },
}
const EAST_ASIAN_DATE = new RegExp(
  [
    `(?:${EAST_ASIAN_DAYS.map(([pattern]) => `(${pattern})`).join('|')})`,
    // Only a week has days: 今年六岁 is no Saturday. 上 and 下 are also verbs ("晚上周…"); with a week behind them they are nearly always this.
    `(?:${EAST_ASIAN_SPANS.map(([pattern]) => `(${pattern})`).join('|')})(?:(?<=[周週期拜])([一二三四五六日天末])|の?([${KANA_WEEKDAYS}])曜日?)?`,
    '(?:周|星期|礼拜|禮拜)([一二三四五六日天末])(?![一二三四五六七八九十])',
    `([${KANA_WEEKDAYS}])曜日`,
    '(\\d{1,3}|[一二两兩三四五六七八九十]|하루|이틀|사흘)\\s?(天|日|일|周|週間?|주|个?星期|个?礼拜|个月|個月|[ヶか]月|개월|年|년)?\\s?(?:(以?前|之前|전)|(以?[后後]|之[后後]|후|뒤))',
    '(?:(\\d{4})\\s?[年년]\\s?)?(\\d{1,2})\\s?[月월]\\s?(\\d{1,2})\\s?[日号號일]?',
  ].join('|'),
  'g',
)
const SPAN_GROUP = 1 + EAST_ASIAN_DAYS.length
const REST_GROUP = SPAN_GROUP + EAST_ASIAN_SPANS.length

function findEastAsian(text: string, now: () => number, found: Found[]): void {
  forEachMatch(EAST_ASIAN_DATE, text, match => {
    const meaning = readEastAsian(match, now)
    if (meaning) found.push({ start: match.index, end: match.index + match[0].length, meaning })
  })
}

function readEastAsian(match: RegExpExecArray, now: () => number): Found['meaning'] {
  const day = EAST_ASIAN_DAYS.findIndex((_, at) => match[at + 1] !== undefined)
  if (day >= 0) return { unit: 'day', offset: EAST_ASIAN_DAYS[day]![1] }

  const [hanDay, kanaDay, bareHan, bareKana, count, unit, before, after, year, month, ofMonth] =
    match.slice(REST_GROUP)
  const span = EAST_ASIAN_SPANS.findIndex((_, at) => match[at + SPAN_GROUP] !== undefined)
  if (span >= 0) {
    const [, spanUnit, offset] = EAST_ASIAN_SPANS[span]!
    const named = hanDay ?? kanaDay
    if (named === undefined || spanUnit !== 'week') return { unit: spanUnit, offset }
    if (named === '末') return { unit: 'weekend', offset }
    return { unit: 'weekday', weekday: eastAsianWeekday(named), offset, find: 'in-week' }
  }
  if (bareHan === '末') return { unit: 'weekend', offset: 0 }
  if (bareHan !== undefined)
    return { unit: 'weekday', weekday: eastAsianWeekday(bareHan), offset: 0, find: 'by-tense' }
  if (bareKana !== undefined)
    return { unit: 'weekday', weekday: eastAsianWeekday(bareKana), offset: 0, find: 'by-tense' }
  if (count !== undefined) {
    const number = (Number(count) || HAN_DIGITS[count] || 0) * (before !== undefined ? -1 : 1)
    if (before === undefined && after === undefined) return null
    if (unit === undefined) return /[하이사]/.test(count) ? { unit: 'day', offset: number } : null
    if (/[天日일]/.test(unit)) return { unit: 'day', offset: number }
    if (/[周週주]|星期|礼拜/.test(unit)) return { unit: 'day', offset: number * 7 }
    return { unit: /月|개월/.test(unit) ? 'month' : 'year', offset: number }
  }
  const fixed = calendarDay(year, Number(month), ofMonth, now)
  return fixed === null ? null : { unit: 'fixed', day: fixed }
}

function eastAsianWeekday(name: string): number {
  if (name === '天') return 6
  const han = HAN_WEEKDAYS.indexOf(name)
  return han >= 0 ? han : KANA_WEEKDAYS.indexOf(name)
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

/** Between a day of the week and the date that says which: "Friday the 20th of February", "4月18日（周六）". */
const SAME_DAY = /^(?:[,，、]? ?[(（]?|,? the |,? den )$/

/** A day of the week beside its date only names it: taken alone it would mean another day. */
function withoutNamedDays(found: readonly Found[], lower: string): readonly Found[] {
  const isBeside = (left: Found | undefined, right: Found | undefined) =>
    left !== undefined && right !== undefined && SAME_DAY.test(lower.slice(left.end, right.start))
  const isDate = (mention: Found | undefined) => mention?.meaning?.unit === 'fixed'
  return found.filter((mention, at) => {
    if (mention.meaning?.unit !== 'weekday') return true
    const [before, after] = [found[at - 1], found[at + 1]]
    return !((isDate(before) && isBeside(before, mention)) || (isDate(after) && isBeside(mention, after)))
  })
}

type Span = readonly [from: number, to: number, unit: DateUnit]

function resolve(meaning: NonNullable<Found['meaning']>, today: number, isPast: () => boolean): Span {
  if (meaning.unit === 'fixed') return [meaning.day, meaning.day, 'day']
  const { offset } = meaning
  const monday = today - weekday(today)
  switch (meaning.unit) {
    case 'day':
      return [today + offset, today + offset, 'day']
    case 'week':
      return [monday + 7 * offset, monday + 7 * offset + 6, 'week']
    case 'weekend': {
      // On Saturday and Sunday "last weekend" is the one of the week before, "this" is running.
      const saturday = monday + 5 + 7 * offset
      return [saturday, saturday + 1, 'weekend']
    }
    case 'month': {
      const { year, month } = dayParts(today)
      return [dayOf(year, month + offset, 1), dayOf(year, month + offset + 1, 1) - 1, 'month']
    }
    case 'year': {
      const year = dayParts(today).year + offset
      return [dayOf(year, 1, 1), dayOf(year, 12, 31), 'year']
    }
    case 'weekday': {
      const day = findWeekday(meaning, today, monday, isPast)
      return [day, day, 'day']
    }
  }
}

function findWeekday(meaning: Meaning, today: number, monday: number, isPast: () => boolean): number {
  const sought = meaning.weekday ?? 0
  if (meaning.find === 'in-week') return monday + 7 * meaning.offset + sought
  const ahead = (sought - weekday(today) + 7) % 7
  const isBefore = meaning.find === 'past' || (meaning.find === 'by-tense' && isPast())
  return isBefore ? today + ahead - 7 : today + ahead
}

const PAST = /\b(?:was|were|went|did|had|got|came|saw|met|took|made|[a-z]{2,}ed)\b|[了过過]|ました|でした/
const FUTURE = /\b(?:will|going to|gonna|shall|let's|can|should|would|need|must)\b|['’]ll\b|[?？要会會将將]/

/** What was agreed on lies ahead, though the agreeing is over. */
const AGREED =
  /\b(?:decided|agreed|planned|arranged|promised|confirmed|scheduled|booked|fixed|settled)\b|(?:说|說|约|約|商量|定|安排|决|決)(?:好|定|下来|下來)?了|(?:决定|決定|约定|約定)/g

function tellsOfThePast(text: string): boolean {
  return PAST.test(text.replace(AGREED, ' ')) && !FUTURE.test(text)
}

function isSayable(day: number): boolean {
  return day >= dayOf(1, 1, 1) && day <= dayOf(9999, 12, 31)
}

function label(from: number, to: number, unit: DateUnit): string {
  const first = formatDay(from)
  if (unit === 'year') return first.slice(0, 4)
  if (unit === 'month') return first.slice(0, 7)
  if (from === to) return first
  const last = formatDay(to)
  return `${first}/${last.slice(last.startsWith(first.slice(0, 7)) ? 8 : last.startsWith(first.slice(0, 4)) ? 5 : 0)}`
}
