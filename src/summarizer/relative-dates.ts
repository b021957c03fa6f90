import { dayInZone, dayOf, dayParts, formatDay, realDay, weekday } from './calendar-day.ts'
import { type DateUnit, type Meaning, MONTHS, PHRASES } from './date-words.ts'

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
  findPhrases(text, found)
  if (COUNTED.test(text)) findCounts(text, found)
  if (DIGIT.test(text)) findCalendarDates(text, now, found)
  if (EAST_ASIAN.test(text)) findEastAsian(text, now, found)
  if (found.length === 0) return []
  return withoutOverlaps(found).flatMap(({ start, end, meaning }) => {
    if (meaning === null) return []
    const [from, to, unit] = resolve(meaning, now(), text)
    if (!isSayable(from) || !isSayable(to)) return []
    return {
      start,
      end,
      from: formatDay(from),
      to: formatDay(to),
      label: label(from, to, unit),
      relative: meaning.unit !== 'fixed',
      sameDay: from === to && from === now(),
    }
  })
}

const WORD = /[\p{L}\p{M}]+/gu
const DIGIT = /\d/
const EAST_ASIAN = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/
const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u

function findPhrases(text: string, found: Found[]): void {
  const lower = lowerCase(text)
  for (const match of lower.matchAll(WORD)) {
    const phrases = PHRASES.get(match[0])
    if (!phrases) continue
    const start = match.index
    const phrase = phrases.find(
      ({ words }) =>
        lower.startsWith(words, start) && !LETTER_OR_DIGIT.test(lower.charAt(start + words.length)),
    )
    // "Morgen" with a capital is the morning, and a greeting.
    if (phrase && text.charAt(start) !== 'M')
      found.push({ start, end: start + phrase.words.length, meaning: phrase.meaning })
    else if (phrase && phrase.words !== 'morgen')
      found.push({ start, end: start + phrase.words.length, meaning: phrase.meaning })
  }
}

/** Of the same length as the text, so that positions hold in both; white space as plain spaces. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return (lower.length === text.length ? lower : text).replace(/\s/g, ' ')
}

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ 'a couple of': 2, un: 1, una: 1, dos: 2, tres: 3, cuatro: 4, cinco: 5, einem: 1, einer: 1, zwei: 2 },
  ...{ drei: 3, vier: 4, fünf: 5, deux: 2, trois: 3, quatre: 4, cinq: 5, um: 1, uma: 1, dois: 2, duas: 2 },
}
const UNIT_WORDS: readonly (readonly [pattern: string, unit: DateUnit, days: number])[] = [
  ['days?|días?|tagen?|jours?|dias?|день|дня|дней', 'day', 1],
  ['weeks?|semanas?|wochen?|semaines?|неделю|недели|недель', 'day', 7],
  ['months?|mes(?:es)?|monate?n?|mois|mês|месяц|месяца|месяцев', 'month', 0],
  ['years?|años?|jahre?n?|ans?|années?|anos?|год|года|лет', 'year', 0],
]
const NUMBER = `\\d{1,3}|${Object.keys(NUMBER_WORDS).sort(longestFirst).join('|')}`
const UNIT = UNIT_WORDS.map(([pattern]) => `(${pattern})`).join('|')
const EDGE_BEFORE = '(?<![\\p{L}\\p{M}\\p{N}])'
const EDGE_AFTER = '(?![\\p{L}\\p{M}\\p{N}])'
const COUNTED = /ago|back|in|hace|dentro|vor|il y a|dans|há|daqui|назад|через/iu
const COUNT_PATTERNS: readonly (readonly [pattern: RegExp, sign: number])[] = [
  [counted(`(${NUMBER})\\s(?:${UNIT})\\s(?:ago|back|назад|atrás)`), -1],
  [counted(`(?:hace|vor|il y a|há)\\s(${NUMBER})\\s(?:${UNIT})`), -1],
  [counted(`(?:in|dentro de|dans|daqui a|через)\\s(${NUMBER})\\s(?:${UNIT})`), 1],
]

function counted(pattern: string): RegExp {
  return new RegExp(`${EDGE_BEFORE}${pattern}${EDGE_AFTER}`, 'giu')
}

function longestFirst(left: string, right: string): number {
  return right.length - left.length
}

function findCounts(text: string, found: Found[]): void {
  for (const [pattern, sign] of COUNT_PATTERNS)
    for (const match of text.matchAll(pattern)) {
      const number = Number(match[1]) || NUMBER_WORDS[match[1]!.toLowerCase()] || 0
      const index = UNIT_WORDS.findIndex((_, at) => match[at + 2] !== undefined)
      const [, unit, days] = UNIT_WORDS[index]!
      const offset = sign * number * (unit === 'day' ? days : 1)
      found.push({ start: match.index, end: match.index + match[0].length, meaning: { unit, offset } })
    }
}

const MONTH = [...MONTHS.keys()].sort(longestFirst).join('|')
const ISO_DATE = /(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/g
const DAY_MONTH = new RegExp(
  `${EDGE_BEFORE}(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?\\s(?:of\\s|de\\s)?(${MONTH})\\.?(?:,?\\s(?:de\\s)?(\\d{4}))?${EDGE_AFTER}`,
  'giu',
)
const MONTH_DAY = new RegExp(
  `${EDGE_BEFORE}(${MONTH})\\.?\\s(?:the\\s)?(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s(\\d{4}))?(?![\\p{L}\\p{N}:]|[.,]\\d)`,
  'giu',
)

function findCalendarDates(text: string, now: () => number, found: Found[]): void {
  const add = (match: RegExpExecArray, day: number | null) => {
    if (day !== null)
      found.push({ start: match.index, end: match.index + match[0].length, meaning: { unit: 'fixed', day } })
  }
  for (const match of text.matchAll(ISO_DATE))
    add(match, realDay(Number(match[1]), Number(match[3]), Number(match[4])))
  for (const match of text.matchAll(DAY_MONTH))
    add(match, calendarDay(match[3], MONTHS.get(match[2]!.toLowerCase()), match[1], now))
  for (const match of text.matchAll(MONTH_DAY))
    add(match, calendarDay(match[3], MONTHS.get(match[1]!.toLowerCase()), match[2], now))
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
    // 上 and 下 are also verbs ("晚上周…"); with a week behind them they are nearly always this.
    `(?:${EAST_ASIAN_SPANS.map(([pattern]) => `(${pattern})`).join('|')})(?:([一二三四五六日天末])|の?([${KANA_WEEKDAYS}])曜日?)?`,
    '(?:周|星期|礼拜|禮拜)([一二三四五六日天末])(?![一二三四五六七八九十])',
    `([${KANA_WEEKDAYS}])曜日`,
    '(\\d{1,3}|[一二两兩三四五六七八九十]|하루|이틀|사흘)\\s?(天|日|일|周|週間?|주|个?星期|个?礼拜|个月|個月|[ヶか]月|개월|年|년)?\\s?(?:(以?前|之前|전)|(以?[后後]|之[后後]|후|뒤))',
    '(?:(\\d{4})\\s?[年년]\\s?)?(\\d{1,2})\\s?[月월]\\s?(\\d{1,2})\\s?[日号號일]?',
  ].join('|'),
  'gu',
)
const SPAN_GROUP = 1 + EAST_ASIAN_DAYS.length
const REST_GROUP = SPAN_GROUP + EAST_ASIAN_SPANS.length

function findEastAsian(text: string, now: () => number, found: Found[]): void {
  for (const match of text.matchAll(EAST_ASIAN_DATE)) {
    const meaning = readEastAsian(match, now)
    if (meaning) found.push({ start: match.index, end: match.index + match[0].length, meaning })
  }
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
    return { unit: 'weekday', weekday: eastAsianWeekday(bareHan), offset: 0, find: 'in-week' }
  if (bareKana !== undefined)
    return { unit: 'weekday', weekday: eastAsianWeekday(bareKana), offset: 0, find: 'coming' }
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

type Span = readonly [from: number, to: number, unit: DateUnit]

function resolve(meaning: NonNullable<Found['meaning']>, today: number, text: string): Span {
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
      const day = findWeekday(meaning, today, monday, text)
      return [day, day, 'day']
    }
  }
}

function findWeekday(meaning: Meaning, today: number, monday: number, text: string): number {
  const sought = meaning.weekday ?? 0
  if (meaning.find === 'in-week') return monday + 7 * meaning.offset + sought
  const ahead = (sought - weekday(today) + 7) % 7
  const isPast = meaning.find === 'past' || (meaning.find === 'by-tense' && tellsOfThePast(text))
  return isPast ? today + ahead - 7 : today + ahead
}

const PAST = /\b(?:was|were|went|did|had|got|came|saw|met|took|made|\p{L}{2,}ed)\b/iu
const FUTURE = /\b(?:will|going to|gonna|shall|let's|can|should|would|need|must)\b|['’]ll\b|\?/iu

function tellsOfThePast(text: string): boolean {
  return PAST.test(text) && !FUTURE.test(text)
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
