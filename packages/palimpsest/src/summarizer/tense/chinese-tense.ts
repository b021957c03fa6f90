import {
  AHEAD,
  BARE_VERB,
  BEFORE_DAY,
  BEHIND_DAY,
  DONE,
  DONE_TO,
  EVER_SINCE,
  FELT,
  NEUTRAL,
  OF_WHAT,
  PAST,
  PRESENT,
  THAT_ONE,
  UNSURE,
  VERB_AND_LE,
  WENT,
} from './chinese-signs.ts'
import type { DayPlace, Tells } from './tense.ts'

const one = (signs: readonly string[], flags = '') => new RegExp(signs.join('|'), flags)
const beside = (signs: readonly string[]) => new RegExp(`(?:${signs.join('|')}) ?$`)

const NEUTRAL_SIGNS = one(NEUTRAL, 'g')
const UNSURE_SIGNS = one(UNSURE)
const AHEAD_SIGNS = one(AHEAD)
const PRESENT_SIGNS = one(PRESENT)
const PAST_SIGNS = one(PAST)
const BEFORE = {
  ahead: beside(BEFORE_DAY.ahead),
  past: beside(BEFORE_DAY.past),
  unsure: beside(BEFORE_DAY.unsure),
}

/** What a Chinese clause tells about its day. */
export function tellChinese(clause: string, place: DayPlace | null): Tells {
  const before = place === null ? '' : clause.slice(0, place.start)
  const after = (place === null ? clause : clause.slice(place.end)).trim()
  if (place !== null) {
    if (/(?:从|打) ?$/.test(before) && EVER_SINCE.test(after)) return 'past'
    if (BEFORE.unsure.test(before)) return 'unsure'
    if (BEFORE.past.test(before)) return 'past'
  }
  const text = `${before} ${after}`.replace(NEUTRAL_SIGNS, match => '〇'.repeat(match.length))
  if (UNSURE_SIGNS.test(text)) return 'unsure'
  if (place !== null && BEFORE.ahead.test(before) && !/当时|那时|上次/.test(before)) return 'ahead'
  if (place !== null && BEHIND_DAY.test(after) && !PAST_SIGNS.test(before)) return 'ahead'
  if (place !== null && OF_WHAT.test(after)) return DONE.test(after) || DONE_TO.test(after) ? 'past' : 'felt'
  const past =
    PAST_SIGNS.test(text) ||
    DONE.test(after) ||
    DONE_TO.test(after) ||
    WENT.test(after) ||
    VERB_AND_LE.test(text.slice(before.length))
  const ahead = AHEAD_SIGNS.test(text)
  if (past) return ahead ? 'unsure' : place !== null && text.includes('已经') ? 'over' : 'past'
  if (ahead) return 'ahead'
  if (FELT.test(text))
    return place === null || THAT_ONE.test(after) ? 'past' : PRESENT_SIGNS.test(after) ? 'felt' : 'unsure'
  if (PRESENT_SIGNS.test(after) || BARE_VERB.test(after))
    return /[了过]/.test(text) || /[完好坏]了$/.test(after) ? 'unsure' : 'present'
  if (place === null) return 'nothing'
  if (text.replace(SMALL, '') === '') return 'fragment'
  if (/[\u3400-\u9fff]了$/.test(after)) return 'felt'
  return PLAIN.test(after) && !NOT_PLAIN.test(`${before} ${after}`) ? 'plain' : 'nothing'
}

/** The words behind the day are enough for an event on it. */
const PLAIN = /^(?![那这])(?:\d|[\u3400-\u9fff]).*[\u3400-\u9fff]/
const NOT_PLAIN =
  /[症了过的着没每日节休]|营业|特价|打折|会员|人多|人少|最|喜欢|讨厌|上周|昨|前天|上次|刚|当|居然|才|不是|[坏掉倒断伤哭赢输破错丢疼]|到(?![货家站期店岗账场])|多|[一二两三半几]个?(?:天|小时|晚|夜|下午|上午)|表扬|批评|骂|夸|吵|打架|怎么|为什么|什么|谁|哪|还是|或/

const SMALL = /[\s〇]|早上|上午|中午|下午|晚上|那|嗯|好|哦|对|我|你|咱们|我们/g
