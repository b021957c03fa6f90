import { tellChinese } from './chinese-tense.ts'
import { type Clause, clauseAt, splitClauses } from './clauses.ts'
import { tellEnglish } from './english-tense.ts'
import { tellJapanese } from './japanese-tense.ts'

/** Where the words for a day stand. */
export interface DayPlace {
  readonly start: number
  readonly end: number
}

/** What a clause tells of its day. */
export type Tells =
  | 'ahead'
  /** Ahead, unless something else in the sentence says that it is over. */
  | 'present'
  | 'past'
  /** Past, however far away the day is. */
  | 'over'
  /** The signs contradict each other, or one of them speaks against certainty. */
  | 'unsure'
  /** Unsure, unless the sentence tells what came of it. */
  | 'expected'
  /** A feeling, which people mostly tell afterwards: past if the day is one of the last few. */
  | 'felt'
  /**
   * Nothing in the clause speaks of what is over or of every week: ahead if the day is one of the next few.
   */
  | 'plain'
  /** No sign was found. */
  | 'nothing'
  /** The clause holds nothing but the day. */
  | 'fragment'

export type Tense = 'ahead' | 'past'

export type Script = 'english' | 'chinese' | 'japanese' | 'other'

/** How far away the days with the name of one weekday lie. */
export interface Away {
  /** Days to the coming one, from 1 to 6. The one just past is seven days before it. */
  readonly days: number
  /** The weekday of the week that began on Monday is past. */
  readonly isGone: boolean
}

const MAX_PLAIN_DAYS = 3
/** On a Sunday, 周一 is tomorrow. */
const MAX_PLAIN_DAYS_OF_NEXT_WEEK = 2
/** In Chinese, people name a weekday that is farther away with its week: 下周二, 上周五. */
const MAX_BARE_DAYS = 4

/** People do not call yesterday by its weekday, nor the day that is a week after yesterday. */
function mayBeAhead(away: Away | null, script: Script): boolean {
  if (away === null) return true
  return script === 'chinese' ? !away.isGone || away.days <= MAX_BARE_DAYS : away.days < 6
}

function mayBePast(away: Away | null, script: Script): boolean {
  if (away === null) return true
  return script === 'chinese' ? away.isGone || 7 - away.days <= MAX_BARE_DAYS : away.days > 1
}

const MAX_ANSWER_CHARACTERS = 40

/** A longer clause tells too much to be certain of anything. */
const MAX_CLAUSE_CHARACTERS = 300

/**
 * Whether the days of a text lie ahead or behind. Each day is read by its own clause; where that is only a
 * fragment, by the clause beside it. `null`: it is not certain.
 */
export class Tenses {
  readonly #lower: string
  #clauses: readonly Clause[] | null = null
  /**
   * Where the words about a day begin and end: behind the days that are named with it, and before the next
   * day.
   */
  readonly #saidOf = new Map<number, { readonly from: number; readonly until: number }>()
  readonly #told = new Map<string, Tells>()
  #quoted: readonly DayPlace[] | null = null

  /** `days`: the places where days are named, in their order. */
  constructor(lower: string, days: readonly DayPlace[]) {
    this.#lower = lower
    let together: DayPlace | null = null
    let next = lower.length
    for (const [at, day] of days.toReversed().entries()) {
      const after = days[days.length - at]
      const isTogether = after !== undefined && TOGETHER.test(lower.slice(day.end, after.start))
      if (!isTogether) {
        together = day
        next = after?.start ?? lower.length
      }
      this.#saidOf.set(day.start, { from: together!.end, until: next })
    }
  }

  get clauses(): readonly Clause[] {
    this.#clauses ??= splitClauses(this.#lower)
    return this.#clauses
  }

  clauseOf(place: number): number {
    return clauseAt(this.clauses, place)
  }

  /** `away`: `null` for a day that is no weekday. */
  of(place: DayPlace, scriptOfDay: Script, away: Away | null): Tense | null {
    if (scriptOfDay === 'other' || this.isQuoted(place)) return null
    if (away !== null && this.#isAnswer(place)) return null
    const at = this.clauseOf(place.start)
    const script = scriptOfDay === 'english' && this.#isChinese(at) ? 'chinese' : scriptOfDay
    const own = this.#tell(at, place, script)
    switch (own) {
      case 'ahead':
        return 'ahead'
      case 'present':
        if (this.#isOver(at, script) || this.#isHabit(at) || !mayBeAhead(away, script)) return null
        return 'ahead'
      case 'over':
        return 'past'
      case 'past':
        // "If we called in sick on Friday" does not tell a past event.
        return mayBePast(away, script) && this.clauses[at]!.joint !== 'if' ? 'past' : null
      case 'expected':
        return this.#cameToNothing(at) ? 'past' : null
      case 'felt':
        return away?.isGone && 7 - away.days <= MAX_PLAIN_DAYS ? 'past' : null
      case 'plain':
        // 周五 said on a Wednesday is ahead: the Friday of the week before would be 上周五.
        if (
          away === null ||
          away.days > (away.isGone ? MAX_PLAIN_DAYS_OF_NEXT_WEEK : MAX_PLAIN_DAYS) ||
          this.#isOver(at, script) ||
          this.#isHabit(at)
        )
          return this.#byNeighbour(at, 'nothing', script)
        return 'ahead'
      case 'fragment':
      case 'nothing':
        return this.#byNeighbour(at, own, script)
      default:
        return null
    }
  }

  /** A clause in two scripts is read as Chinese: "我们 Friday review" */
  #isChinese(at: number): boolean {
    const { start, end } = this.clauses[at]!
    return end - start <= MAX_CLAUSE_CHARACTERS && HAN.test(this.#lower.slice(start, end))
  }

  /**
   * Whether the whole text only says 周五我可以. The question before it may have asked for a day of every week.
   */
  #isAnswer({ start, end }: DayPlace): boolean {
    const said = SPEAKER.exec(this.#lower)?.[0].length ?? 0
    if (this.#lower.length - said > MAX_ANSWER_CHARACTERS || said > start) return false
    return ANSWER.test(`${this.#lower.slice(said, start)}*${this.#lower.slice(end)}`)
  }

  /** Whether the sentence holds nothing but the day. */
  isAlone(place: DayPlace, script: Script): boolean {
    const at = this.clauseOf(place.start)
    return (
      script !== 'other' &&
      this.#tell(at, place, script) === 'fragment' &&
      this.#clauseBeside(at, -1) === null &&
      this.#clauseBeside(at, 1) === null
    )
  }

  /** Whether the day stands in another person's words, said at another time. */
  isQuoted({ start }: DayPlace): boolean {
    this.#quoted ??= quotedSpans(this.#lower)
    let [low, high] = [0, this.#quoted.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const { start: from, end: to } = this.#quoted[middle]!
      if (start <= from) high = middle - 1
      else if (start >= to) low = middle + 1
      else return true
    }
    return false
  }

  #tell(at: number, place: DayPlace | null, script: Script): Tells {
    const clause = this.clauses[at]!
    if (clause.end - clause.start > MAX_CLAUSE_CHARACTERS) return 'unsure'
    const key = `${at} ${place?.start ?? ''}`
    let told = this.#told.get(key)
    if (told === undefined) {
      const saidOf = script === 'chinese' && place !== null ? this.#saidOf.get(place.start) : undefined
      const text = this.#lower.slice(clause.start, Math.min(clause.end, saidOf?.until ?? clause.end))
      const within = place && {
        start: place.start - clause.start,
        end: Math.min(saidOf?.from ?? place.end, clause.end) - clause.start,
      }
      told =
        script === 'chinese'
          ? tellChinese(text, within)
          : script === 'japanese'
            ? tellJapanese(text)
            : tellEnglish(text, within)
      this.#told.set(key, told)
    }
    return told
  }

  /** Another clause of the same sentence; `null`: there is none. */
  #clauseBeside(at: number, step: 1 | -1): Clause | null {
    const beside = this.clauses[at + step]
    return beside !== undefined && beside.sentence === this.clauses[at]!.sentence ? beside : null
  }

  /** People also use the present to tell what they have done, once they have begun to tell. */
  #isOver(at: number, script: Script): boolean {
    for (const step of [1, 2] as const) {
      const clause = this.clauses[at + step]
      if (clause === undefined || clause.sentence !== this.clauses[at]!.sentence) break
      // In 校服洗了没, the thing asked about is done for the day.
      if (script === 'chinese' && ASKS_IF_DONE.test(this.#lower.slice(clause.start, clause.end))) continue
      if (this.#tell(at + step, null, script) === 'past')
        return script === 'chinese' || clause.joint !== 'because'
    }
    return false
  }

  /** What was expected did not come: "He was supposed to come on Tuesday and never showed." */
  #cameToNothing(at: number): boolean {
    const clause = this.clauses[at]!
    const next = this.#clauseBeside(at, 1)
    return NEVER_CAME.test(this.#lower.slice(clause.start, next?.end ?? clause.end))
  }

  /** A habit: "Bin day is Tuesday, recycling every other Friday" */
  #isHabit(at: number): boolean {
    const [before, after] = [this.#clauseBeside(at, -1), this.#clauseBeside(at, 1)]
    const { start, end } = this.clauses[at]!
    return (
      EVERY.test(this.#lower.slice(start, end)) ||
      EVERY_WEEK.test(this.#lower.slice(before?.start ?? start, after?.end ?? end))
    )
  }

  #byNeighbour(at: number, own: Tells, script: Script): Tense | null {
    const { joint } = this.clauses[at]!
    const [before, after] = [this.#clauseBeside(at, -1), this.#clauseBeside(at, 1)]
    const isCondition = CONDITION.test(joint)
    const isJoined = JOINED.test(joint)
    const told = (step: 1 | -1) => this.#tell(at + step, null, script)
    // "Saturday, we are going to …", "if it rains on Saturday, we will …"
    if (after !== null && (own === 'fragment' || isCondition) && !JOINED.test(after.joint) && !isJoined)
      return tenseOf(told(1))
    // "… the cake and the flowers on Saturday", "we leave early, Saturday"
    if (before !== null && (isJoined || own === 'fragment' || isCondition)) return tenseOf(told(-1))
    return null
  }
}

const ASKS_IF_DONE = /[了好](?:没有?|吗|么) *$/
/** The speaker before a line in a summary or in memory. */
const SPEAKER = /^(?:- )?[^:：\n]{1,60}[:：] /
const ANSWER =
  /^(?:yes|ok|me)?[,，]? ?(?:(?:i|we) (?:can|could) (?:do|open|make|come|help)(?: it)?(?: on)? |i'm free (?:on )?)?\*(?: (?:works|is (?:fine|good|ok|okay)|suits|i can)(?: (?:for )?(?:me|us))?)?(?: too| as well)?[.!]*$|^(?:我们?)?(?:那)?\*(?:我们?)?[也都]?(?:可以|行|ok|能(?:去|来)|有空|没问题|方便|可)的?[吧啊呀哦~～。!！]*$/
const HAN = /[\u3400-\u9fff]/
const TOGETHER = /^[和跟与及、]?$/
const NEVER_CAME =
  /(?<![a-z])(?:never (?:showed|came|arrived|turned|did|happened|called|rang)|(?:hasn't|hasnt|haven't|still not) (?:arrived|come|shown|turned up)|no.?show|still (?:waiting|nothing|no sign)|didn't (?:show|turn up))(?![a-z])/
const EVERY =
  /(?<![a-z])(?:every|each) (?:other |second |single )?(?:day|week|month|night|morning|evening|time)|每天|每个?月/
const EVERY_WEEK =
  /(?<![a-z])(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days(?![a-z])|(?:every|each) (?:other |second |single )?(?:mon|tues|wednes|thurs|fri|satur|sun))|[每逢](?:周|个?星期|个?礼拜)/
const CONDITION = /^(?:if|when|once|unless)$/
const JOINED = /^(?:and|or|、)$/

function tenseOf(told: Tells): Tense | null {
  if (told === 'ahead' || told === 'present') return 'ahead'
  return told === 'past' ? 'past' : null
}

const QUOTES: Readonly<Record<string, string>> = {
  '“': '”',
  '「': '」',
  '『': '』',
  '«': '»',
  '„': '“',
  '《': '》',
}
const QUOTE = /["“”「」『』«»„《》]|\n/g
/** Behind these words stands what another person wrote, at another time. */
const PASSED_ON = /(?:^|\n) *(?:fwd?|fw|forwarded|转发|轉發)(?![a-z])[^:：\n]{0,30}[:：]/
/** Lines that a mail program marks as another person's. */
const QUOTED_LINE = /(?<=^|\n)>[^\n]*/g

/**
 * The parts of the text that are another person's words: between quotation marks, in quoted lines, and behind
 * `PASSED_ON`. Quotation marks pair within one line; a mark without a partner does not count.
 */
function quotedSpans(lower: string): DayPlace[] {
  const spans = spansInMarks(lower)
  const passedOn = PASSED_ON.exec(lower)?.index ?? lower.length
  for (const { index, 0: line } of lower.matchAll(QUOTED_LINE))
    spans.push({ start: index, end: index + line.length })
  const merged: DayPlace[] = []
  for (const span of spans.sort((left, right) => left.start - right.start))
    if (span.start < passedOn && span.start >= (merged.at(-1)?.end ?? 0)) merged.push(span)
  if (passedOn < lower.length) merged.push({ start: passedOn, end: lower.length })
  return merged
}

function spansInMarks(lower: string): DayPlace[] {
  const spans: DayPlace[] = []
  let open: { readonly at: number; readonly closes: string } | null = null
  QUOTE.lastIndex = 0
  for (let match = QUOTE.exec(lower); match !== null; match = QUOTE.exec(lower)) {
    const mark = match[0]
    if (mark === '\n') open = null
    else if (open !== null && mark === open.closes) {
      spans.push({ start: open.at, end: match.index })
      open = null
    } else if (open === null) {
      const closes: string | undefined = mark === '"' ? '"' : QUOTES[mark]
      if (closes !== undefined) open = { at: match.index, closes }
    }
  }
  return spans
}
