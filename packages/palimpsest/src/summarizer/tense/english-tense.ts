import {
  AFTER_DAY,
  AGREED,
  AHEAD,
  ARRANGING,
  ASKED_FOR,
  BEFORE_DAY,
  BEGINS_WITH_PAST,
  DOING,
  GOT,
  NEUTRAL,
  NOT_BEFORE_PAST_VERB,
  NOT_PAST_VERBS,
  OF_A_DAY,
  OF_A_NOUN,
  ORDERS,
  PAST,
  PRESENT,
  SINCE,
  UNSURE,
} from './english-signs.ts'
import type { DayPlace, Tells } from './tense.ts'

const within = (signs: readonly string[], flags = '') =>
  new RegExp(`(?<![a-z\\d'])(?:${signs.join('|')})(?![a-z\\d]|'t)|(?<=[a-z])(?:'ll|'m|'re)(?![a-z])`, flags)
const anywhere = (signs: readonly string[], flags = '') =>
  new RegExp(`(?<![a-z\\d'])(?:${signs.join('|')})(?![a-z\\d]|'t)`, flags)

const NEUTRAL_SIGNS = anywhere(NEUTRAL, 'g')
const UNSURE_SIGNS = anywhere(UNSURE)
const ASKED_FOR_SIGNS = anywhere(ASKED_FOR)
const AGREED_SIGNS = anywhere(AGREED)
const ARRANGING_SIGNS = anywhere(ARRANGING)
const AHEAD_SIGNS = new RegExp(
  `${anywhere(AHEAD).source}|(?<=[a-z])(?:'ll|'ve got|'s got|'d (?:like|love|prefer)|'(?:m|re|s) ${DOING})(?![a-z])`,
)
const PAST_SIGNS = anywhere(PAST)
/** Taken out before the search for a present: "we met" holds no present of a verb. */
const ALL_PAST_SIGNS = anywhere(PAST, 'g')
const PRESENT_SIGNS = within(PRESENT)
const ORDER_SIGNS = new RegExp(`^ *(?:${ORDERS.join('|')})(?![a-z'])`)
const NEVER = /(?<![a-z])never(?![a-z])/
const PAST_VERB = /(?<![a-z])[a-z]{2,}ed(?![a-z'])/g

/** Allows small words between the sign and the day: "moved to the Monday". */
const beside = (signs: readonly string[]) =>
  new RegExp(`(?<![a-z\\d'])(?:${signs.join('|')}) (?:on |for )?(?:this |the )?$`)
const BEFORE = {
  since: beside(SINCE),
  ahead: beside(BEFORE_DAY.ahead),
  past: beside(BEFORE_DAY.past),
  present: beside(BEFORE_DAY.present),
  unsure: beside(BEFORE_DAY.unsure),
}
const DAY_PART = "^(?:'s)?(?: (?:early |late )?(?:morning|afternoon|evening|night|nite|noon|lunchtime))?,?"
const behind = (signs: readonly string[]) => new RegExp(`${DAY_PART} ?(?:${signs.join('|')})(?![a-z])`)
const AFTER = {
  settled: behind(AFTER_DAY.settled),
  ahead: behind(AFTER_DAY.ahead),
  past: behind(AFTER_DAY.past),
  unsure: behind(AFTER_DAY.unsure),
}

/** Little words and hours. A day with nothing else beside it stands alone. */
const SMALL =
  /\b(?:on|at|in|by|so|ok|okay|also|and|or|for|the|this|my|our|his|her|a|around|about|early|late|morning|afternoon|evening|night|noon|midnight|am|pm|hey|hi|hello|well|yes|no|oh|btw|from|to|till|until|then|maybe|instead|too|please|[\d:.]+(?:am|pm|h)?)\b|[^a-z]+/g

const EXPECTED =
  /(?<![a-z])(?:(?:was|were) (?:supposed|meant|due|expected|scheduled|going|gonna)|should(?: have|'ve|ve))(?![a-z])/
/** "I've printed it" tells that it is done, not when. */
const SHORT_PERFECT =
  /(?<=[a-z])'(?:ve|s) (?:just |already |now |also |finally |only |not |never )*(?:been )?(?:[a-z]+ed|been|become|gone|done|had|made|taken|given|seen|found|sent|told|written|bought|paid|left|lost|won|set|put)(?![a-z])/g
const REPORTING = /(?:said|says|wrote|thinks?|remember|told (?:me|us|him|her|them|you)) $/
const HOUR = new RegExp(
  `${DAY_PART} ?(?:at |@ ?|from |around )?(?:\\d{1,2}(?::\\d\\d)? ?(?:am|pm|ish|o'clock)|(?<=at )\\d{1,2}|\\d{1,2}:\\d\\d|noon|\\d{1,2}-\\d{1,2}(?!\\d))(?![a-z\\d])`,
)
/** The day is kept free: "She has Friday free" */
const KEPT = /^ (?:off|open|free|clear|blank|instead)(?![a-z])/
const FRONT = /^ *(?:so |and |but |then |ok |well |hi |hey )*(?:on )?$/
const TOLD = new RegExp(
  `${DAY_PART} (?:i|we|you|he|she|they|(?:the|my|our|his|her|their) [a-z]+) (?:${ARRANGING.join('|')})(?![a-z])`,
)
const ONE_WORD =
  /^ *(?!(?:on|by|until|till|since|for|from|and|but|so|then|maybe|ok|okay|yes|no|hey|hi|well|also|because|that|which|who|if|when|like|just|late|early|not|only|even|his|her|their|its|these|those|is|was|are|does|did|will|can|could|would|should|what|how|why|where|yeah|yep|lol|omg|btw|fyi|plus|or|to|though|while|as|i|we|you|he|she|it|they|u)(?![a-z]))[a-z]+ $/
const KIND_DOES =
  /^ (?!the|my|our|his|her|their|your|morning|night|evening|afternoon|mum|mom|dad|nan|gran|everyone|it|he|she|this|that|what|who|works?|is|has|does|suits|sounds)[a-z]{3,} (?!this|is|has|was|us|plus|as|boss|class)[a-z]{2,}s(?![a-z])/
const DOES =
  /^ (?:is|isn't|was|wasn't|has|had|will|lost|won|got|did|went|[a-z]+ed|sounds|looks|plays|closes)(?![a-z])/

/** What an English clause tells about its day. */
export function tellEnglish(clause: string, place: DayPlace | null): Tells {
  const text = clause.replace(SHORT_PERFECT, blanks).replace(NEUTRAL_SIGNS, blanks)
  const before = place === null ? '' : clause.slice(Math.max(0, place.start - 60), place.start)
  const after = place === null ? '' : clause.slice(place.end, place.end + 40)
  const isSpokenOf = AFTER.ahead.test(after)
  // "Since Friday is a holiday" gives a reason.
  if (BEFORE.since.test(before)) return isSpokenOf ? 'unsure' : 'over'
  if (ASKED_FOR_SIGNS.test(clause)) return 'unsure'
  if (UNSURE_SIGNS.test(text)) return EXPECTED.test(text) ? 'expected' : 'unsure'
  if (place !== null) {
    if (AFTER.unsure.test(after) || isName(clause, place) || isKind(clause, place)) return 'unsure'
    if (BEFORE.unsure.test(before) && !(isSpokenOf && REPORTING.test(before))) return 'unsure'
    if (AFTER.settled.test(after) && !PAST_SIGNS.test(text)) return 'ahead'
    // What the clause tells of the day itself outweighs what it tells in general.
    if (BEFORE.ahead.test(before)) return isPast(text, { isOfArranging: true }) ? 'unsure' : 'ahead'
    if (BEFORE.past.test(before)) return AHEAD_SIGNS.test(text) || isSpokenOf ? 'unsure' : 'past'
    if (AFTER.past.test(after)) return ARRANGING_SIGNS.test(text) ? 'unsure' : 'past'
    if (isTold(clause, place)) return AHEAD_SIGNS.test(text) ? 'unsure' : 'past'
  }
  if (AGREED_SIGNS.test(text)) return PAST_SIGNS.test(text) ? 'unsure' : 'ahead'
  if (ARRANGING_SIGNS.test(text)) return 'unsure'
  const past = isPast(text, { isOfArranging: false })
  const ahead = AHEAD_SIGNS.test(text)
  const present =
    PRESENT_SIGNS.test(text.replace(ALL_PAST_SIGNS, blanks)) ||
    ORDER_SIGNS.test(text) ||
    isDeadline(clause, place) ||
    HOUR.test(after)
  if (past)
    return ahead || present || isOfANoun(clause, place) || GOT.test(before) || KEPT.test(after)
      ? 'unsure'
      : 'past'
  if (NEVER.test(text)) return 'unsure'
  if (ahead) return 'ahead'
  if (present) return hasAnyPastVerb(text) || isOfASaying(clause, place) ? 'unsure' : 'present'
  if (hasAnyPastVerb(text)) return 'unsure'
  if (place === null) return 'nothing'
  const rest = `${clause.slice(0, place.start)} ${clause.slice(place.end)}`.replace(SMALL, '')
  return rest === '' ? 'fragment' : 'nothing'
}

const isDeadline = (clause: string, place: DayPlace | null) =>
  place !== null && BEFORE.present.test(clause.slice(Math.max(0, place.start - 60), place.start))

/**
 * "On Monday I asked for it": the subject stands between the day and the verb, so the day is that of the
 * asking.
 */
const isTold = (clause: string, place: DayPlace) =>
  FRONT.test(clause.slice(0, place.start)) && TOLD.test(clause.slice(place.end, place.end + 60))

/** "Sheffield Wednesday lost": one word and the day form a name. */
const isName = (clause: string, place: DayPlace) =>
  ONE_WORD.test(clause.slice(0, place.start)) && DOES.test(clause.slice(place.end, place.end + 40))

/** "Sunday service runs until six" speaks of every Sunday. */
const isKind = (clause: string, place: DayPlace) =>
  FRONT.test(clause.slice(0, place.start)) &&
  KIND_DOES.test(clause.slice(place.end, place.end + 40)) &&
  !/\d/.test(clause)

const isOfANoun = (clause: string, place: DayPlace | null) =>
  place !== null && OF_A_NOUN.test(clause.slice(Math.max(0, place.start - 60), place.start))

const isOfASaying = (clause: string, place: DayPlace | null) =>
  place !== null &&
  clause.startsWith("'s ", place.end) &&
  !OF_A_DAY.test(clause.slice(place.end, place.end + 60))

function blanks(match: string): string {
  return ' '.repeat(match.length)
}

/**
 * "Was excited for Saturday" is past, but "was moved to Monday" is not: with words of arranging, only a past
 * state counts as past.
 */
function isPast(text: string, { isOfArranging }: { readonly isOfArranging: boolean }): boolean {
  if (isOfArranging) return STATE_PAST.test(text)
  return PAST_SIGNS.test(text) || hasPastVerb(text)
}

const STATE_PAST =
  /(?<![a-z'])(?:(?:was|were|had) (?:so |really |very |all |pretty )*(?:excited|nervous|anxious|ready|stoked|hyped|pumped|psyched|prepared|set|free|available|up|down|good|booked|scheduled|planned|due|invited|signed|plans|tickets|a |an |the )|thought|supposed|originally|would have|wish|yesterday|last (?:week|month|year)|ago|had been|got cancelled|was due)/

function hasPastVerb(text: string): boolean {
  const first = BEGINS_WITH_PAST.exec(text)?.[1]
  if (first !== undefined && !NOT_PAST_VERBS.has(first)) return true
  PAST_VERB.lastIndex = 0
  for (let match = PAST_VERB.exec(text); match !== null; match = PAST_VERB.exec(text)) {
    if (NOT_PAST_VERBS.has(match[0])) continue
    const before = text.slice(Math.max(0, match.index - 12), match.index)
    if (/[a-z'\d)] *$/.test(before) && before.trim() !== '' && !NOT_BEFORE_PAST_VERB.test(before)) return true
  }
  return false
}

function hasAnyPastVerb(text: string): boolean {
  PAST_VERB.lastIndex = 0
  for (let match = PAST_VERB.exec(text); match !== null; match = PAST_VERB.exec(text))
    if (!NOT_PAST_VERBS.has(match[0])) return true
  return false
}
