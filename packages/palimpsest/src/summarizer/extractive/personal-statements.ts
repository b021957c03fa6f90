import { undatedLine } from '../memory-line.ts'
import type { FactSection } from '../summarizer.ts'
import { type Ended, findEnded } from './ended-statements.ts'
import { type OwnClause, ownClauses } from './own-clauses.ts'
import { PERSONAL_PATTERNS, type PersonalPattern, type Slot } from './personal-patterns.ts'
import { A_JOB, HAN_JOBS, MONTH } from './personal-words.ts'

export interface Statement {
  readonly section: FactSection
  readonly slots: ReadonlySet<Slot>
  /** The words in the slots: a town, a name. */
  readonly named: readonly string[]
  /** It says more than its slots cover. */
  readonly saysMore: boolean
  /** What has ended; left out: the statement says what is so now. */
  readonly ended?: Ended
  /** Where it begins in the sentence. */
  readonly at: number
}

/** Beside these words, a statement holds for a time, not for good. */
const FOR_NOW =
  /(?<!\p{L})(?:tonight|today|tomorrow|right now|at the moment|for (?:now|once)|this (?:morning|afternoon|evening|week|weekend|month|time|one)|until|till|temporarily|during (?:lent|ramadan|the)|just for)(?!\p{L})|今天|今晚|明天|这次|这周|这会儿|这几天|这个月|暂时|临时|最近/iu

/** What a person says of themself in a sentence; `null`: nothing that lasts. */
export function findPersonal(
  sentence: string,
  asked: { readonly isQuestion?: boolean } = {},
): Statement | null {
  return findStatement(ownClauses(sentence, asked))
}

function findStatement(clauses: readonly OwnClause[]): Statement | null {
  const statement = findHolding(clauses)
  const ended = findEnded(clauses)
  // "I don't live in Rome anymore, I live in Oslo": the statement that holds now says it all.
  if (ended === null || (ended.slot !== null && statement?.slots.has(ended.slot))) return statement
  const { section, slot, at } = ended
  return { section, slots: new Set(slot === null ? [] : [slot]), saysMore: false, named: [], ended, at }
}

function findHolding(clauses: readonly OwnClause[]): Statement | null {
  const slots = new Set<Slot>()
  let section: FactSection | null = null
  const named: string[] = []
  let saysMore = false
  let start = 0
  let isOfSelf = false
  for (const { text, at, goesOn } of clauses) {
    if (goesOn && !isOfSelf) continue
    const said = goesOn ? withSelf(text) : text
    const found = patternsIn(said)
    if (found.length === 0 && CALLS.test(said)) return null
    isOfSelf = found.some(each => each.pattern.isOfSelf) || (goesOn && isOfSelf)
    if (found.length > 0 && section === null) start = at
    for (const { pattern, x } of found) {
      if (section !== 'profile') section = pattern.section
      if (pattern.slot === null) saysMore = true
      else slots.add(pattern.slot)
      if (pattern.slot !== null && x !== undefined) named.push(x)
    }
  }
  return section && { section, slots, named, saysMore, at: start }
}

/** Without a name behind it, "call me crazy but" reverses what follows. */
const CALLS = /^(?:\p{L}+ ){0,4}call me(?!\p{L})/iu

interface InClause {
  readonly pattern: PersonalPattern
  readonly x: string | undefined
}

function patternsIn(clause: string): InClause[] {
  const isForNow = FOR_NOW.test(clause)
  const isHan = /^\p{sc=Han}/u.test(clause)
  return PERSONAL_PATTERNS.flatMap(pattern => {
    const isFor = pattern.isHan === isHan && !(isForNow && pattern.mayPass)
    const match = isFor ? pattern.pattern.exec(clause) : null
    if (match === null) return []
    const x = match.groups?.['x']
    return pattern.fits === undefined || (x !== undefined && pattern.fits(x)) ? { pattern, x } : []
  })
}

/** A clause that says more of its speaker, with the speaker put before it: "and work as a cook", 住在成都. */
function withSelf(clause: string): string {
  return /^\p{sc=Han}/u.test(clause) ? `我${clause}` : `i ${clause}`
}

/** How a memory says it in other words than the person's own: behind the person's name, or as a heading. */
const TOLD: readonly (readonly [slot: Slot, behindName: RegExp, alone: RegExp])[] = [
  [
    'name',
    /^(?:'s (?:full |first |last |nick)?name is| is (?:called|named)| goes by| (?:wants|likes|prefers|asked) to be called|的名字|叫)/i,
    /^(?:full |first )?name[:：]|^(?:姓名|名字|称呼)[:：]/i,
  ],
  [
    'home',
    /^(?: now| currently| still)* (?:lives?|resides?|is living|is based) (?:in|at|on|near|outside)|^(?:现在|目前)?(?:住在|居住在|家在)/i,
    /^(?:now )?lives? (?:in|at|near) |^(?:home|location|address|residence)[:：]|^(?:住址|居住地|住在|家在)/i,
  ],
  [
    'work',
    new RegExp(
      `^(?: now| currently)* (?:works?|is working) (?:at|as|for|in) |^ is ${A_JOB}|^(?:现在|目前)?在[^，。]{1,20}(?:工作|上班|任职)|^是[^，。他她你]{0,10}(?:${HAN_JOBS})(?=[，。；;\\s]|$)`,
      'iu',
    ),
    /^works? (?:at|as|for|in) |^(?:job|occupation|profession|work)[:：]|^(?:职业|工作)[:：]/i,
  ],
  [
    'birthday',
    new RegExp(
      `^'s birthday|^ was born (?:on|in)(?= (?:the )?(?:\\d|${MONTH}))|^的?生日|^(?:是)?(?:出生[于在]|生于)\\d`,
      'iu',
    ),
    /^(?:birthday|date of birth|born)(?:[:：]| (?:on )?\d)|^(?:生日|出生日期)/i,
  ],
]

const NO_SLOTS: ReadonlySet<Slot> = new Set()

/**
 * All that a line of a person's memory says of that person. It has no slots where it says more than they
 * cover.
 */
export function readLine(
  line: string,
  name: string | null,
): { readonly slots: ReadonlySet<Slot>; readonly said: string } {
  const text = undatedLine(line).replaceAll('’', "'")
  const behind = behindName(text, name)
  return { slots: slotsOf(text, behind), said: behind ?? text }
}

function slotsOf(text: string, behind: string | null): ReadonlySet<Slot> {
  const own = findStatement(ownClauses(text))
  if (own !== null) return own.saysMore ? NO_SLOTS : own.slots
  return new Set(
    TOLD.flatMap(([slot, behindSomebody, alone]) =>
      (behind !== null && behindSomebody.test(behind)) || alone.test(text) ? slot : [],
    ),
  )
}

/** `null`: the line names no person, or another person. */
function behindName(text: string, name: string | null): string | null {
  const names = ['the user', 'user', '用户', ...(name ? [name, name.split(' ')[0]!] : [])].filter(Boolean)
  const lower = text.toLowerCase()
  for (const each of names.toSorted((left, right) => right.length - left.length)) {
    const rest = text.slice(each.length)
    if (lower.startsWith(each.toLowerCase()) && !/^[[\p{L}\p{N}]--\p{sc=Han}]/v.test(rest)) return rest
  }
  return null
}
