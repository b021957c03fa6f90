import { dayInZone, dayOf, dayParts, formatDay, hourInZone, realDay, weekday } from './calendar-day.ts'
import { type DayWords, findDayWords, lowerCase } from './day-words.ts'
import { type Tense, Tenses } from './tense/tense.ts'

/**
 * Dates in running text. They are resolved at the moment when the text was written and in its zone, never at
 * the moment of reading: tomorrow, "last week" means another week.
 *
 * Only certain dates are resolved. A Friday with nothing before it is the coming one or the one just past,
 * where its own clause says which. "Next Friday" and "last Friday" are resolved where all people who say so
 * mean the same day. An uncertain date is left as it was said: beside the day on which it was said, it means
 * what it meant.
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
  /** The first and the last day that are meant, `YYYY-MM-DD`. */
  readonly from: string
  readonly to: string
  /** The shortest form: a day, `2026-02-23/03-01`, `2026-04`, `2027`. */
  readonly label: string
  /** It means something only together with the moment. */
  readonly relative: boolean
  /** It is the very day on which the text was written. */
  readonly sameDay: boolean
  /** The day stands behind it already, in brackets, as a summary of this text would put it. */
  readonly resolved: boolean
}

export function findDates(text: string, moment: Moment): DateMention[] {
  return readDays(text, moment).dates
}

/** Words for a day, where it is not certain which day they mean. */
export interface OpenDay {
  readonly start: number
  readonly end: number
}

/** The days that a text names: the certain ones, and those that stay as they were said. */
export function readDays(
  text: string,
  moment: Moment,
): { readonly dates: DateMention[]; readonly open: readonly OpenDay[] } {
  const lower = lowerCase(text)
  const words = findDayWords(text, lower)
  if (words.length === 0) return { dates: [], open: [] }
  const today = dayInZone(moment.at, moment.zone)
  const resolver = new Resolver(lower, words, today, isBeforeDawn(moment))
  const spans = words.map((_, at) => resolver.resolve(at))
  const dates: DateMention[] = []
  const open: OpenDay[] = []
  for (const [at, { start, end, meaning }] of words.entries()) {
    const span = spans[at]!
    if (resolver.isPartOfAnother(at)) continue
    if (span === null || !isSayable(span.from) || !isSayable(span.to)) open.push({ start, end })
    else
      dates.push({
        start,
        end,
        from: formatDay(span.from),
        to: formatDay(span.to),
        label: label(span),
        relative: isRelative(meaning),
        sameDay: span.from === span.to && span.from === today,
        resolved: RESOLVED.test(text.slice(end, end + 7)),
      })
  }
  return { dates, open }
}

/** A date without its year or its month is still a day of the calendar, and not relative. */
function isRelative(meaning: DayWords['meaning']): boolean {
  if (meaning.unit === 'day-of-month') return meaning.offset !== null
  return meaning.unit !== 'fixed' && meaning.unit !== 'date'
}

/** Whether a text names a day other than the one on which it is said, even if it does not tell which. */
export function namesAnotherDay(text: string): boolean {
  return findDayWords(text, lowerCase(text)).some(
    ({ meaning }) => !(meaning.unit === 'day' && meaning.offset === 0),
  )
}

/** Until this hour, "tomorrow" may be the day that has begun: the speaker may not have slept yet. */
const DAWN_HOUR = 4

/** In UTC, the speaker's clock is not known: UTC is also the zone of messages that have none. */
function isBeforeDawn({ at, zone }: Moment): boolean {
  return zone !== 'UTC' && hourInZone(at, zone) < DAWN_HOUR
}

const RESOLVED = /^ \(\d{4}/

interface Span {
  readonly from: number
  readonly to: number
  readonly unit: 'day' | 'week' | 'weekend' | 'month' | 'year'
}

/**
 * A date without a year is near up to `MAX_NEAR_DAYS` from today: then no tense is needed. Farther than
 * `MAX_FAR_DAYS` it may be of this year or of another.
 */
const MAX_NEAR_DAYS = 45
const MAX_FAR_DAYS = 300
/** The weekday (a Wednesday) up to which a weekend that is over may still be "this weekend". */
const LAST_DAY_OF_PAST_WEEKEND = 2

class Resolver {
  readonly #lower: string
  readonly #words: readonly DayWords[]
  readonly #today: number
  readonly #monday: number
  readonly #isBeforeDawn: boolean
  readonly #tenses: Tenses
  readonly #resolved = new Map<number, Span | null>()
  /** Weeks that only tell which weekday is meant, as in "Tuesday next week". */
  readonly #named = new Set<number>()

  constructor(lower: string, words: readonly DayWords[], today: number, isBeforeDawn: boolean) {
    this.#isBeforeDawn = isBeforeDawn
    this.#lower = lower
    this.#words = words
    this.#today = today
    this.#monday = today - weekday(today)
    this.#tenses = new Tenses(lower, words)
  }

  /** Whether the words are only a part of the day beside them. */
  isPartOfAnother(at: number): boolean {
    return this.#named.has(at)
  }

  /** Called for the words in their order, because what stands before a word is resolved before it. */
  resolve(at: number): Span | null {
    let span = this.#resolved.get(at)
    if (span === undefined) {
      span = this.#find(at)
      this.#resolved.set(at, span)
    }
    return span
  }

  #find(at: number): Span | null {
    const word = this.#words[at]!
    const { meaning } = word
    if (meaning.unit === 'fixed') return dayAt(meaning.day)
    if (meaning.unit === 'unclear' || this.#tenses.isQuoted(word)) return null
    switch (meaning.unit) {
      case 'date':
        return this.#date(at, meaning)
      case 'day':
        if (this.#isBeforeDawn && meaning.offset !== 0) return null
        return meaning.offset > 0 && this.#isToldOfThen(at) ? null : dayAt(this.#today + meaning.offset)
      case 'count':
        return this.#count(word, meaning)
      case 'week':
        return this.#week(at, meaning)
      case 'month':
        return this.#month(meaning.offset)
      case 'year':
        return this.#year(meaning.offset)
      case 'weekend':
        return this.#weekend(word, meaning)
      case 'day-of-month':
        return this.#dayOfMonth(at, meaning)
      case 'weekday':
        return this.#weekday(at, meaning)
    }
  }

  #tense(word: DayWords): Tense | null {
    const { meaning } = word
    const days = meaning.unit === 'weekday' ? meaning.weekday - weekday(this.#today) : 0
    const away = days === 0 ? null : { days: (days + 7) % 7, isGone: days < 0 }
    return this.#tenses.of(word, word.script, away)
  }

  #month(offset: number): Span {
    const { year, month } = dayParts(this.#today)
    return { from: dayOf(year, month + offset, 1), to: dayOf(year, month + offset + 1, 1) - 1, unit: 'month' }
  }

  #year(offset: number): Span {
    const year = dayParts(this.#today).year + offset
    return { from: dayOf(year, 1, 1), to: dayOf(year, 12, 31), unit: 'year' }
  }

  #count(word: DayWords, { of, offset, needs }: Meaning<'count'>): Span | null {
    if (needs !== null && !this.#tenses.isAlone(word, word.script))
      if (this.#tense(word) !== needs || this.#tellsHowLong(word)) return null
    if (of === 'month') return this.#month(offset)
    return of === 'year' ? this.#year(offset) : dayAt(this.#today + offset)
  }

  /** "I can do it in three days" says how long it takes. */
  #tellsHowLong({ start, script }: DayWords): boolean {
    if (script !== 'english') return false
    const clause = this.#tenses.clauses[this.#tenses.clauseOf(start)]!
    return HOW_LONG.test(this.#lower.slice(Math.max(clause.start, start - 60), start))
  }

  #week(at: number, meaning: Meaning<'week'>): Span | null {
    const from = this.#weekBegins(meaning)
    if (from === null || (meaning.offset > 0 && this.#isToldOfThen(at))) return null
    // On a Sunday, "this week" is the week that ends, or the week that comes.
    if (meaning.offset === 0 && weekday(this.#today) === 6 && this.#tense(this.#words[at]!) === 'ahead')
      return null
    return { from, to: from + 6, unit: 'week' }
  }

  /** `null`: on a Sunday, one half of the world has begun a new week. */
  #weekBegins({ offset, startsOnMonday }: Meaning<'week'>): number | null {
    return startsOnMonday === true || weekday(this.#today) !== 6 ? this.#monday + 7 * offset : null
  }

  #weekend(word: DayWords, { offset, find }: Meaning<'weekend'>): Span | null {
    const saturday = this.#monday + 5
    const at = (weeks: number): Span => ({
      from: saturday + 7 * weeks,
      to: saturday + 7 * weeks + 1,
      unit: 'weekend',
    })
    const isRunning = weekday(this.#today) >= 5
    switch (find) {
      case 'in-week':
        return at(offset)
      case 'coming':
        return at(isRunning ? 1 : 0)
      case 'past':
        return at(-1)
      case 'next':
        return isRunning ? at(1) : null
      case 'last':
        return at(-1)
      default: {
        const tense = this.#tense(word)
        if (find === 'this') {
          if (isRunning || tense !== 'past') return at(0)
          return weekday(this.#today) <= LAST_DAY_OF_PAST_WEEKEND ? at(-1) : null
        }
        if (tense === null || isRunning) return null
        return at(tense === 'past' ? -1 : 0)
      }
    }
  }

  #weekday(at: number, { weekday: sought, find, offset }: Meaning<'weekday'>): Span | null {
    const word = this.#words[at]!
    if (find === 'by-tense' && this.#isInTimetable(at)) return null
    const numbered = this.#numbered(word, sought)
    if (numbered !== undefined) return numbered
    const inWeek = find === 'by-tense' ? this.#inNamedWeek(at, sought) : undefined
    if (inWeek !== undefined) return inWeek
    if (find === 'by-tense' || find === 'this') {
      const named = this.#besideDate(at)
      if (named) return null
    }
    const carried = find === 'by-tense' ? this.#carried(at, sought) : undefined
    if (carried !== undefined) return carried
    const today = weekday(this.#today)
    const ahead = (sought - today + 7) % 7 || 7
    const ago = (today - sought + 7) % 7 || 7
    switch (find) {
      case 'in-week':
        return dayAt(this.#monday + 7 * offset + sought)
      case 'coming':
        return sought === today && offset > 0 ? null : dayAt(this.#today + ahead + 7 * offset)
      case 'past':
        return dayAt(this.#today - ago)
      case 'next':
        return this.#next(sought, ahead)
      case 'last':
        // If the weekday has already been in this week, "last" means that day or the one a week before.
        // Yesterday is not called so.
        return sought < today || ago === 1 ? null : dayAt(this.#today - ago)
      case 'this':
        return this.#this(word, sought)
      case 'by-tense': {
        if (sought === today) return null
        const tense = this.#tense(word)
        if (tense === null || this.#isOfAnotherTime(at, tense)) return null
        return dayAt(tense === 'past' ? this.#today - ago : this.#today + ahead)
      }
    }
  }

  /**
   * "Next" is the coming day, or that of the following week. It is certain where both are one day, and where
   * the coming day is tomorrow.
   */
  #next(sought: number, ahead: number): Span | null {
    const today = weekday(this.#today)
    if (sought > today) return ahead === 1 ? dayAt(this.#today + 8) : null
    // Where the week begins on Sunday, this is "this Friday".
    if (today === 6 && sought !== today) return null
    return dayAt(this.#today + ahead)
  }

  #this(word: DayWords, sought: number): Span | null {
    const today = weekday(this.#today)
    if (sought === today) return word.script === 'chinese' ? dayAt(this.#today) : null
    const tense = this.#tense(word)
    const day = this.#monday + sought
    if (sought > today) return tense === 'past' ? null : dayAt(day)
    if (word.script === 'english') return tense === 'past' ? dayAt(day) : null
    return tense === 'ahead' ? null : dayAt(day)
  }

  /**
   * "Tuesday next week", "next week I have the dentist on Tuesday". `undefined`: the clause names no week.
   */
  #inNamedWeek(at: number, sought: number): Span | null | undefined {
    const word = this.#words[at]!
    const clause = this.#tenses.clauseOf(word.start)
    for (const beside of [at - 1, at + 1]) {
      const other = this.#words[beside]
      if (other === undefined || this.#tenses.clauseOf(other.start) !== clause) continue
      const { meaning } = other
      if (meaning.unit !== 'week') continue
      const from = this.#weekBegins(meaning)
      if (from === null) return null
      const between =
        beside < at ? this.#lower.slice(other.end, word.start) : this.#lower.slice(word.end, other.start)
      if (OF_WEEK.test(between)) this.#named.add(beside)
      else {
        const tense = this.#tense(word)
        const agrees = meaning.offset < 0 ? tense === 'past' : tense === 'ahead'
        if (!agrees || (meaning.offset === 0 && from + sought <= this.#today === (tense === 'ahead')))
          return null
      }
      return dayAt(from + sought)
    }
    return undefined
  }

  /** The second of two days that are named together follows the first: 下周一和周三, "last Saturday and Sunday". */
  #carried(at: number, sought: number): Span | null | undefined {
    const [word, before] = [this.#words[at]!, this.#words[at - 1]]
    if (before?.meaning.unit !== 'weekday') return undefined
    const between = this.#lower.slice(before.end, word.start)
    if (between.length > 12 || !TOGETHER.test(between)) return undefined
    if (MOVED_FROM.test(this.#lower.slice(Math.max(0, before.start - 60), before.start))) return undefined
    const { find, weekday: first } = before.meaning
    const isRange = RANGE.test(between)
    // Monday to Friday is the week that most people work.
    if (isRange && first === 0 && sought === 4 && find === 'by-tense') return null
    const span = this.resolve(at - 1)
    if (span === null) return null
    const day = span.from + ((sought - first + 7) % 7)
    if (find !== 'by-tense')
      return sought > first && (find !== 'last' || day < this.#today) ? dayAt(day) : null
    const tense = this.#tense(word)
    if (tense === null || sought === weekday(this.#today))
      return isRange ? dayIf(day > this.#today && span.from > this.#today && sought !== first, day) : null
    const nearest =
      tense === 'past'
        ? this.#today - ((weekday(this.#today) - sought + 7) % 7)
        : this.#today + ((sought - weekday(this.#today) + 7) % 7)
    return dayIf(nearest === day, day)
  }

  /** 我周二周四有课 speaks of every week. 周六周日 are one weekend. */
  #isInTimetable(at: number): boolean {
    return [at - 1, at].some(place => {
      const [left, right] = [this.#words[place], this.#words[place + 1]]
      return (
        left?.script === 'chinese' &&
        left.meaning.unit === 'weekday' &&
        right?.meaning.unit === 'weekday' &&
        left.meaning.find === 'by-tense' &&
        right.meaning.find === 'by-tense' &&
        left.end === right.start &&
        (left.meaning.weekday + 1) % 7 !== right.meaning.weekday
      )
    })
  }

  /**
   * "Tuesday the 24th", 24号周二: the weekday that has this number, if there is one about now. `undefined`: no
   * number.
   */
  #numbered({ start, end }: DayWords, sought: number): Span | null | undefined {
    const after = this.#lower.slice(end, end + 16)
    const before = this.#lower.slice(Math.max(0, start - 6), start)
    const number = NUMBER_AFTER.exec(after) ?? NUMBER_BEFORE.exec(before)
    const bare = BARE_NUMBER_AFTER.exec(after)
    const sign = Number(number?.[1] ?? number?.[2] ?? bare?.[1])
    if (!(sign >= 1 && sign <= 31)) return undefined
    const days: number[] = []
    for (let day = this.#today - NUMBERED_BACK; day <= this.#today + NUMBERED_AHEAD; day++)
      if (weekday(day) === sought && dayParts(day).day === sign) days.push(day)
    // "Tuesday 10 people come": the bare number may be a date, or not.
    if (number === null) return days.length > 0 ? null : undefined
    return days.length === 1 ? dayAt(days[0]!) : null
  }

  /** A weekday beside its date only names the date: taken alone, it would mean another day. */
  #besideDate(at: number): boolean {
    const word = this.#words[at]!
    return [at - 1, at + 1].some(place => {
      const other = this.#words[place]
      if (other === undefined || !isCalendarDate(other)) return false
      const [left, right] = place < at ? [other, word] : [word, other]
      return SAME_DAY.test(this.#lower.slice(left.end, right.start))
    })
  }

  /** The weekday that stands beside a date. */
  #weekdayBeside(at: number): number | null {
    const word = this.#words[at]!
    for (const place of [at - 1, at + 1]) {
      const other = this.#words[place]
      if (other?.meaning.unit !== 'weekday') continue
      const [left, right] = place < at ? [other, word] : [word, other]
      if (SAME_DAY.test(this.#lower.slice(left.end, right.start))) return other.meaning.weekday
    }
    return null
  }

  /**
   * Whether this sentence, or the one before it, speaks of another time: this day may then be one of that
   * time.
   */
  #isOfAnotherTime(at: number, tense: Tense): boolean {
    const sentence = this.#sentenceOf(at)
    for (let place = at - 1; place >= 0 && place >= at - MAX_LOOK_BACK; place--) {
      if (this.#sentenceOf(place) < sentence - 1) break
      const { meaning } = this.#words[place]!
      if (meaning.unit === 'week' || meaning.unit === 'month' || meaning.unit === 'year') {
        if (meaning.offset !== 0 && meaning.offset < 0 === (tense === 'past')) return true
      } else if (meaning.unit === 'count' || meaning.unit === 'date' || meaning.unit === 'fixed') {
        const span = this.resolve(place)
        if (span === null) return true
        const days = Math.abs(span.from - this.#today)
        if (days > 7 && span.from < this.#today === (tense === 'past')) return true
      } else if (meaning.unit === 'unclear' && this.#sentenceOf(place) === sentence) return true
    }
    return false
  }

  /** "Yesterday he said that he would come tomorrow": a tomorrow of then, or of now. */
  #isToldOfThen(at: number): boolean {
    const word = this.#words[at]!
    const before = this.#words[at - 1]
    if (before === undefined || this.#sentenceOf(at - 1) !== this.#sentenceOf(at)) return false
    const { meaning } = before
    const isPast =
      ((meaning.unit === 'day' || meaning.unit === 'week') && meaning.offset < 0) ||
      (meaning.unit === 'weekday' && (this.resolve(at - 1)?.from ?? this.#today) < this.#today)
    const between = this.#lower.slice(before.end, word.start)
    return isPast && between.length < 120 && REPORTED.test(between)
  }

  #sentenceOf(at: number): number {
    return this.#tenses.clauses[this.#tenses.clauseOf(this.#words[at]!.start)]!.sentence
  }

  #date(at: number, { month, ofMonth }: Meaning<'date'>): Span | null {
    const word = this.#words[at]!
    const year = dayParts(this.#today).year
    const days = [year - 1, year, year + 1].flatMap(each => realDay(each, month, ofMonth) ?? [])
    const named = this.#weekdayBeside(at)
    if (named !== null)
      return nearestTo(
        this.#today,
        days.filter(day => weekday(day) === named),
      )
    const nearest = nearestTo(this.#today, days)
    if (nearest === null) return null
    const distance = nearest.from - this.#today
    const isNear = Math.abs(distance) <= MAX_NEAR_DAYS
    const tense = this.#tense(word)
    if (BORN.test(this.#lower.slice(Math.max(0, word.start - 10), word.end + 4))) return null
    if (this.#isYearly(word)) {
      const next = tense === 'past' ? undefined : days.find(day => day >= this.#today)
      return spanOf(next ?? null)
    }
    if (tense === null) return isNear ? nearest : null
    if (isNear && distance !== 0) return distance < 0 === (tense === 'past') ? nearest : null
    if (distance === 0) return nearest
    const found =
      tense === 'past' ? days.filter(day => day < this.#today).at(-1) : days.find(day => day > this.#today)
    return dayIf(found !== undefined && Math.abs(found - this.#today) <= MAX_FAR_DAYS, found ?? 0)
  }

  /** Of a birthday, people mean the next one. */
  #isYearly({ start, end }: DayWords): boolean {
    const { start: from, end: to } = this.#tenses.clauses[this.#tenses.clauseOf(start)]!
    return YEARLY.test(this.#lower.slice(Math.max(from, start - 60), Math.min(to, end + 40)))
  }

  #dayOfMonth(at: number, { ofMonth, offset }: Meaning<'day-of-month'>): Span | null {
    const word = this.#words[at]!
    const before = this.#words[at - 1]
    // "April 10th till the 17th"
    if (offset === null && before !== undefined && isCalendarDate(before)) {
      const first = this.resolve(at - 1)
      const between = this.#lower.slice(before.end, word.start)
      if (first === null || between.length > 12 || !TOGETHER.test(between)) return null
      const named = dayParts(first.from)
      return ofMonth > named.day ? spanOf(realDay(named.year, named.month, ofMonth)) : null
    }
    const { year, month, day } = dayParts(this.#today)
    const of = (months: number) => {
      const first = dayParts(dayOf(year, month + months, 1))
      return realDay(first.year, first.month, ofMonth)
    }
    if (offset !== null) return spanOf(of(offset))
    const tense = this.#tense(word)
    if (tense === null || ofMonth === day || this.#isYearly(word)) return null
    if (tense === 'ahead') return spanOf(of(ofMonth > day ? 0 : 1))
    return spanOf(of(ofMonth < day ? 0 : -1))
  }
}

type Meaning<Unit> = Extract<DayWords['meaning'], { readonly unit: Unit }>

const HOW_LONG =
  /(?:^|[^a-z])(?:can|could|able|takes?|took|finish|learn|done|how|within|lose|gain|only|all)(?![a-z])/
/** "Tuesday of next week", "next week on Tuesday", "last week, Tuesday". */
const OF_WEEK = /^(?:,? on|,? of|,)? ?$/
const TOGETHER =
  /^(?:,|，|、| and| &| or| to| through| till| until| -|-|–|和|跟|与|或|及|至|到)? ?(?:and |or )?(?:on )?$/
const NUMBER_AFTER =
  /^(?:,? (?:the |den |der |le |el |il )?(\d{1,2})(?:st|nd|rd|th|\.(?!\d))(?![a-z\d])|[,，]? ?[(（]?(\d{1,2})[号號日](?!线|楼|门|院))/
const NUMBER_BEFORE = /(?<!\d)(\d{1,2})[号號日] ?[(（]?$/
const BARE_NUMBER_AFTER =
  /^,? (\d{1,2})(?![\d:.,/°%h€$£]| ?(?:am|pm|a\.m|p\.m|uhr|o'?clock|people|persons|guests|eur|euros?|dollars?|bucks|min|hours?|hrs|times|percent|kg|km|点)(?![a-z]))/
/** How many days back and ahead a weekday with a number is sought: within these, no such day comes twice. */
const NUMBERED_BACK = 21
const NUMBERED_AHEAD = 35
/** A move from one day to another, and not all the days between. */
const MOVED_FROM =
  /(?:mov|chang|switch|shift|reschedul|push|postpon|bump|swap|br[io](?:ng|ught))[a-z]*(?: [a-z'-]+){0,4} from $|(?:^|[^a-z])从$/
const RANGE = /to|through|till|until|-|–|至|到/
/** Stands between a weekday and the date that says which: "Friday the 20th of February", "4月18日（周六）". */
const SAME_DAY = /^(?:[,，、]? ?[(（]?|,? the |,? den )$/
const REPORTED =
  /(?:^|[^a-z])(?:said|told|promised|wrote|texted|claimed|swore|thought|asked|announced)(?![a-z])|[说讲]|告诉|答应|通知|保证/
const YEARLY = /birthday|bday|b-day|anniversary|every year|each year|annual|生日|纪念日|每年/
/** A day of birth: the text does not say the year. */
const BORN = /born (?:on )?|生的|出生/
const MAX_LOOK_BACK = 6

function isCalendarDate({ meaning }: DayWords): boolean {
  return meaning.unit === 'fixed' || meaning.unit === 'date' || meaning.unit === 'day-of-month'
}

function dayAt(day: number): Span {
  return { from: day, to: day, unit: 'day' }
}

function dayIf(holds: boolean, day: number): Span | null {
  return holds ? dayAt(day) : null
}

function spanOf(day: number | null): Span | null {
  return day === null ? null : dayAt(day)
}

function nearestTo(today: number, days: readonly number[]): Span | null {
  let nearest: number | null = null
  for (const day of days)
    if (nearest === null || Math.abs(day - today) < Math.abs(nearest - today)) nearest = day
  return spanOf(nearest)
}

function isSayable(day: number): boolean {
  return day >= dayOf(1, 1, 1) && day <= dayOf(9999, 12, 31)
}

function label({ from, to, unit }: Span): string {
  const first = formatDay(from)
  if (unit === 'year') return first.slice(0, 4)
  if (unit === 'month') return first.slice(0, 7)
  if (from === to) return first
  const last = formatDay(to)
  return `${first}/${last.slice(last.startsWith(first.slice(0, 7)) ? 8 : last.startsWith(first.slice(0, 4)) ? 5 : 0)}`
}
