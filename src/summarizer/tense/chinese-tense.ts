import {
  AHEAD,
  BARE_VERB,
  BEFORE_DAY,
  DONE,
  FELT,
  NEUTRAL,
  PAST,
  PRESENT,
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

/** What a Chinese clause says of the day in it. */
export function tellChinese(clause: string, place: DayPlace | null): Tells {
  const before = place === null ? '' : clause.slice(0, place.start)
  const after = (place === null ? clause : clause.slice(place.end)).trim()
  if (place !== null) {
    if (BEFORE.unsure.test(before)) return 'unsure'
    if (BEFORE.past.test(before)) return 'past'
  }
  const text = `${before} ${after}`.replace(NEUTRAL_SIGNS, match => '〇'.repeat(match.length))
  if (UNSURE_SIGNS.test(text)) return 'unsure'
  if (place !== null && BEFORE.ahead.test(before) && !/当时|那时|上次/.test(before)) return 'ahead'
  const past =
    PAST_SIGNS.test(text) ||
    DONE.test(after) ||
    WENT.test(after) ||
    VERB_AND_LE.test(text.slice(before.length))
  const ahead = AHEAD_SIGNS.test(text)
  if (past) return ahead ? 'unsure' : 'past'
  if (ahead) return 'ahead'
  if (FELT.test(text)) return place === null ? 'past' : 'unsure'
  if (PRESENT_SIGNS.test(after) || BARE_VERB.test(after)) return /[了过]/.test(text) ? 'unsure' : 'present'
  if (place === null) return 'nothing'
  return text.replace(SMALL, '') === '' ? 'fragment' : 'nothing'
}

const SMALL = /[\s〇]|早上|上午|中午|下午|晚上|那|嗯|好|哦|对|我|你|咱们|我们/g
