import { tellChinese } from './chinese-tense.ts'
import { type Clause, clauseAt, splitClauses } from './clauses.ts'
import { tellEnglish } from './english-tense.ts'
import { tellJapanese } from './japanese-tense.ts'

/** Where a day stands in its clause. */
export interface DayPlace {
  readonly start: number
  readonly end: number
}

/**
 * What a clause tells of its day. `present` is ahead unless something else in the sentence says that it is over;
 * `fragment`: there is nothing but the day in it; `nothing`: no sign was found; `unsure`: signs that contradict
 * each other, or one that speaks against certainty.
 */
export type Tells = 'ahead' | 'present' | 'past' | 'unsure' | 'nothing' | 'fragment'

export type Tense = 'ahead' | 'past'

export type Script = 'english' | 'chinese' | 'japanese' | 'other'

/** A clause that goes on for longer tells too much to be certain of anything. */
const MAX_CLAUSE_CHARACTERS = 300

/**
 * Whether the days of a text lie ahead or behind, each by its own clause, and by the one beside it where its own
 * is only a fragment. `null`: it is not certain.
 */
export class Tenses {
  readonly #lower: string
  #clauses: readonly Clause[] | null = null
  /** Where the next day is named: what stands behind that is said of it. */
  readonly #next: ReadonlyMap<number, number>
  readonly #told = new Map<string, Tells>()
  #quoted: readonly DayPlace[] | null = null

  /** `days`: where they are named, in their order. */
  constructor(lower: string, days: readonly DayPlace[]) {
    this.#lower = lower
    this.#next = new Map(days.map(({ start }, at) => [start, days[at + 1]?.start ?? lower.length]))
  }

  get clauses(): readonly Clause[] {
    this.#clauses ??= splitClauses(this.#lower)
    return this.#clauses
  }

  clauseOf(place: number): number {
    return clauseAt(this.clauses, place)
  }

  of(place: DayPlace, script: Script): Tense | null {
    if (script === 'other' || this.isQuoted(place)) return null
    const at = this.clauseOf(place.start)
    const own = this.#tell(at, place, script)
    switch (own) {
      case 'ahead':
        return 'ahead'
      case 'present':
        return this.#isOver(at, script) ? null : 'ahead'
      case 'past':
        return 'past'
      case 'fragment':
      case 'nothing':
        return this.#byNeighbour(at, own, script)
      default:
        return null
    }
  }

  /** With nothing else in its sentence. */
  isAlone(place: DayPlace, script: Script): boolean {
    const at = this.clauseOf(place.start)
    return (
      script !== 'other' &&
      this.#tell(at, place, script) === 'fragment' &&
      this.#clauseBeside(at, -1) === null &&
      this.#clauseBeside(at, 1) === null
    )
  }

  /** What another said, at a time of his own. */
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
      const until = script === 'chinese' && place !== null ? this.#next.get(place.start) : undefined
      const text = this.#lower.slice(clause.start, Math.min(clause.end, until ?? clause.end))
      const within = place && {
        start: place.start - clause.start,
        end: Math.min(place.end, clause.end) - clause.start,
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

  /** Another clause of the sentence that says something; `null`: there is none. */
  #clauseBeside(at: number, step: 1 | -1): Clause | null {
    const beside = this.clauses[at + step]
    return beside !== undefined && beside.sentence === this.clauses[at]!.sentence ? beside : null
  }

  /** The present is also how people tell what they have done, once they have begun to tell. */
  #isOver(at: number, script: Script): boolean {
    for (const step of [1, 2] as const) {
      const clause = this.clauses[at + step]
      if (clause === undefined || clause.sentence !== this.clauses[at]!.sentence) break
      if (this.#tell(at + step, null, script) === 'past')
        return script === 'chinese' || clause.joint !== 'because'
    }
    return false
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

const CONDITION = /^(?:if|when|once|unless)$/
const JOINED = /^(?:and|or|、)$/

function tenseOf(told: Tells): Tense | null {
  if (told === 'ahead' || told === 'present') return 'ahead'
  return told === 'past' ? 'past' : null
}

const QUOTES: Readonly<Record<string, string>> = { '“': '”', '「': '」', '『': '』', '«': '»', '„': '“' }
const QUOTE = /["“”「」『』«»„]|\n/g

/** Between quotation marks, each within its line; a mark without a partner is none. */
function quotedSpans(lower: string): DayPlace[] {
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
