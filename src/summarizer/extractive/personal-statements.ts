import { undatedLine } from '../memory-line.ts'
import type { FactSection } from '../summarizer.ts'
import { type Ended, findEnded } from './ended-statements.ts'
import { withoutQuotations } from './not-quoted.ts'
import { A_JOB, HAN_JOBS, MONTH, PERSONAL_PATTERNS, type Slot } from './personal-patterns.ts'

export interface Statement {
  readonly section: FactSection
  readonly slots: ReadonlySet<Slot>
  /** Beside these it says something that they do not cover. */
  readonly saysMore: boolean
  /** What is so no longer; left out: it says what is so. */
  readonly ended?: Ended
  /** Where it begins in the sentence. */
  readonly at: number
}

/** What is so at a time is not so for good. */
const FOR_NOW =
  /(?<!\p{L})(?:tonight|today|tomorrow|right now|at the moment|for (?:now|once)|this (?:morning|afternoon|evening|week|weekend|month|time|one))(?!\p{L})|今天|今晚|明天|这次|这周|这会儿|暂时/iu

/** A thought, somebody else's words, or a task for the bot: what it says of its speaker need not be so. */
const NOT_MEANT =
  /(?<!\p{L})(?:if|unless|suppose|supposing|imagine|pretend|assuming|wish|hypothetically|let's say|as though|who doesn't|dream(?:ed|t|ing)|how (?:do|would|can|to) (?:you |i |we )?say)(?!\p{L})|(?<!\p{L})in (?:the|this|my|your|that) (?:game|story|dream|novel|movie|scenario)(?!\p{L}| (?:industry|business|studio|company))|(?<!\p{L})(?:said|says|told|thinks?|thought|believes?|claims?|claimed|asked|wrote|heard)(?: me| you| us)?(?: that)? (?:i|i'm|my)(?!\p{L})|如果|要是|假如|假设|倘若|万一|的话|[说问](?:过)?我(?!们)|以为我|认为我|梦[见到]|(?:游戏|剧本|小说|梦)里/iu
const TASK =
  /^\s*(?:(?:please|can you|could you) )?(?:write|translate|say|repeat|draft|compose|rewrite|correct|fix|summari[sz]e|print|echo|act|roleplay|role-play)(?![\p{L},])|^\s*(?:请|帮我|麻烦)?(?:你)?(?:写|翻译|改写|润色|重复|假装|扮演|总结)/iu
const FIRST_PERSON = /(?<!\p{L})(?:i|i'm|im|my|me)(?!\p{L})|我/iu

/** What somebody says of themself in a sentence; `null`: nothing that lasts. */
export function findPersonal(sentence: string): Statement | null {
  const said = withoutQuotations(sentence)
  if (!FIRST_PERSON.test(said) || NOT_MEANT.test(said) || TASK.test(said)) return null
  return findStatement(said)
}

function findStatement(said: string): Statement | null {
  const statement = findHolding(said)
  const ended = findEnded(said)
  // "I don't live in Rome anymore, I live in Oslo": what holds now says it all.
  if (ended === null || (ended.slot !== null && statement?.slots.has(ended.slot))) return statement
  const { section, slot, at } = ended
  return { section, slots: new Set(slot === null ? [] : [slot]), saysMore: false, ended, at }
}

function findHolding(said: string): Statement | null {
  const slots = new Set<Slot>()
  let section: FactSection | null = null
  let saysMore = false
  let at = said.length
  const note = (start: number, ofSection: FactSection, slot: Slot | null) => {
    at = Math.min(at, start)
    if (section !== 'profile') section = ofSection
    if (slot === null) saysMore = true
    else slots.add(slot)
  }
  const hasForNow = FOR_NOW.test(said)
  for (const { section: ofSection, slot, pattern, mayPass } of PERSONAL_PATTERNS) {
    const match = pattern.exec(said)
    if (match && !(hasForNow && mayPass && FOR_NOW.test(clauseAround(said, match))))
      note(match.index, ofSection, slot)
  }
  const calledSo = findCallMe(said)
  if (calledSo >= 0) note(calledSo, 'profile', 'name')
  return section && { section, slots, saysMore, at }
}

const CLAUSE_MARK = /[,.!?;，。！？；]/u
/** A clause is looked at so far to either side. */
const MAX_CLAUSE_CHARACTERS = 120

/** What is said with it: another clause may well speak of another day. */
function clauseAround(said: string, { index, 0: matched }: RegExpExecArray): string {
  const end = index + matched.length
  const before = said
    .slice(Math.max(0, index - MAX_CLAUSE_CHARACTERS), index)
    .split(CLAUSE_MARK)
    .at(-1)!
  const after = said.slice(end, end + MAX_CLAUSE_CHARACTERS).split(CLAUSE_MARK)[0]!
  return before + matched + after
}

const CALL_ME =
  /(?<!(?:don't|do not|never|not|didn't|to|will|they|she|he) )(?<!\p{L})call me ["“'„]?([\p{L}_][\p{L}_'-]{0,40})(?: [\p{L}_][\p{L}_'-]{0,40})?["”'“]?(?=\s*(?:[.,!;)]|$)| please| instead| from now on| for short| and )/iu
/** What may stand behind "call me" and is no name. */
const NO_NAME = new Set(
  'back later now today tonight tomorrow asap when if at on in a an the after before anytime anyways crazy maybe then again please first soon once up out by sometime whenever monday tuesday wednesday thursday friday saturday sunday mad old-fashioned stupid lazy names out here there instead directly immediately early'.split(
    ' ',
  ),
)

function findCallMe(said: string): number {
  const match = CALL_ME.exec(said)
  return match && !NO_NAME.has(match[1]!.toLowerCase()) ? match.index : -1
}

/** How memories say it that are not in the words of their person: behind whom they speak of, or as a heading. */
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

/** All that a line of a person's memory says of that person; no slots where it says more than these. */
export function readLine(
  line: string,
  name: string | null,
): { readonly slots: ReadonlySet<Slot>; readonly said: string } {
  const text = undatedLine(line).replaceAll('’', "'")
  const behind = behindName(text, name)
  return { slots: slotsOf(text, behind), said: behind ?? text }
}

function slotsOf(text: string, behind: string | null): ReadonlySet<Slot> {
  const own = findStatement(withoutQuotations(text))
  if (own !== null) return own.saysMore ? NO_SLOTS : own.slots
  return new Set(
    TOLD.flatMap(([slot, behindSomebody, alone]) =>
      (behind !== null && behindSomebody.test(behind)) || alone.test(text) ? slot : [],
    ),
  )
}

/** `null`: the line speaks of nobody, or of somebody else. */
function behindName(text: string, name: string | null): string | null {
  const names = ['the user', 'user', '用户', ...(name ? [name, name.split(' ')[0]!] : [])].filter(Boolean)
  const lower = text.toLowerCase()
  for (const each of names.toSorted((left, right) => right.length - left.length)) {
    const rest = text.slice(each.length)
    if (lower.startsWith(each.toLowerCase()) && !/^[[\p{L}\p{N}]--\p{sc=Han}]/v.test(rest)) return rest
  }
  return null
}
