import type { FactSection } from '../summarizer.ts'
import type { OwnClause } from './own-clauses.ts'
import { I, I_AM, type Slot } from './personal-patterns.ts'
import { A_JOB, CIVIL, FAITH, STATUS } from './personal-words.ts'

/** What was true of a person, and is true no longer. */
export interface Ended {
  readonly section: FactSection
  readonly slot: Slot | null
  /** What has ended, in the words of the sentence. `null`: whatever the slot says. */
  readonly what: string | null
  readonly at: number
}

type Pattern = readonly [section: 'profile' | 'preferences', slot: Slot | null, pattern: RegExp]

const own = (source: string) => new RegExp(`(?:${source})`, 'iu')
const WHAT = '(?<what>[^.,;!?()]{1,60}?)'
const ANY_MORE = '(?= any ?more(?!\\p{L})| any longer(?!\\p{L}))'
const STOPS =
  '(?=[\\s.!…)~\\p{Extended_Pictographic}\\ufe0f]*$| (?:and|but|since|because|last|in|this|at|for|so|lol|haha|a (?:week|month|year)|\\p{L}+ (?:days?|weeks?|months?|years?) ago|yesterday|today|recently)(?!\\p{L}))'
const HAN_WHAT = '(?<what>[^，。！？,.!?\\s]{1,12}?)'
const HAN_STOPS = '(?=[\\s。！!~～啦\\p{Extended_Pictographic}\\ufe0f]*$)'
const STILL_NOT = '(?:现在|已经|早就|早|再也|以后|都|终于|如今){0,3}'
const HAN_WHEN = '(?:已经|刚刚|刚|前几天|前阵子|上个?[周月]|去年|今年|年初|年底|终于|昨天|最近|决定){0,2}'
const HAVE_JUST = "(?:'ve| have)?(?: just| recently| finally| already)*"

/** A state that a person is in for years, and then no longer. */
const STATE = `(?:(?:an? )?(?:strict |pre-?)?(?:${STATUS}|${FAITH})|${CIVIL}|(?:allergic|intolerant) to [\\p{L}]{1,20}|a smoker)`

/** With a group `what`, the thing in that group has ended. Without it, all that the slot says has ended. */
const PATTERNS: readonly Pattern[] = [
  ['profile', 'home', own(`${I} (?:don't|do not|dont) live (?:in |at )?${WHAT}${ANY_MORE}`)],
  ['profile', 'home', own(`^we (?:don't|do not|dont) live in ${WHAT}${ANY_MORE}`)],
  ['profile', 'home', own(`${I} no longer live (?:in |at )?${WHAT}${STOPS}`)],
  ['profile', 'work', own(`${I} (?:don't|do not|dont) work (?:there|here)${ANY_MORE}`)],
  ['profile', 'work', own(`${I} (?:don't|do not|dont) work (?:at |for |in |as an? )?${WHAT}${ANY_MORE}`)],
  ['profile', 'work', own(`${I} no longer work (?:at |for |in |as an? )?${WHAT}${STOPS}`)],
  ['profile', 'work', own(`^i${HAVE_JUST} (?:quit|lost|left) my job${STOPS}`)],
  [
    'profile',
    'work',
    own(`^i${HAVE_JUST} (?:got|was|been|have been|were) (?:laid off|fired|made redundant)(?!\\p{L})`),
  ],
  ['profile', 'work', own(`${I_AM} no longer (?<what>${A_JOB})`)],
  ['profile', null, own(`${I_AM} no longer (?<what>${STATE})(?!\\p{L})`)],
  ['profile', null, own(`${I_AM} not (?<what>${STATE})(?: [^.,;!?]{1,30}?)?${ANY_MORE}`)],
  ['profile', 'work', own(`${I_AM} not (?<what>${A_JOB})${ANY_MORE}`)],
  [
    'preferences',
    null,
    own(
      `${I} (?:don't|do not|dont) (?:even )?(?:eat|drink|like|love|enjoy|smoke|speak|play) ${WHAT}${ANY_MORE}`,
    ),
  ],
  ['preferences', null, own(`${I} (?:don't|do not|dont) (?<what>smoke|drink)${ANY_MORE}`)],
  ['preferences', null, own(`${I} no longer (?:eat|drink|like|love|enjoy|smoke) ${WHAT}${STOPS}`)],
  ['preferences', null, own(`${I} no longer (?<what>smoke|drink)${STOPS}`)],
  [
    'profile',
    null,
    own(`^i${HAVE_JUST} (?:stopped|quit|given up|gave up) (?<what>smoking|drinking)${STOPS}`),
  ],
  [
    'profile',
    null,
    own(`^i${HAVE_JUST} (?:stopped|quit|gave up|given up) (?:eating|drinking|smoking|being) ${WHAT}${STOPS}`),
  ],
  [
    'profile',
    null,
    own(
      `^i${HAVE_JUST} (?:gave up|given up|quit) (?<what>coffee|alcohol|meat|sugar|gluten|dairy|caffeine|cigarettes|smoking|drinking)${STOPS}`,
    ),
  ],
  [
    'profile',
    null,
    own(
      `^(?:we|i)(?:'ve| have|'re| are)?(?: just| recently| finally)? (?:got divorced|(?:broke|split) up with my (?<what>girlfriend|boyfriend|fiancée?|partner))(?!\\p{L})`,
    ),
  ],
  ['profile', 'home', own(`^我(?:们)?${STILL_NOT}不(?:再)?住在?${HAN_WHAT}了${HAN_STOPS}`)],
  ['profile', 'work', own(`^我${STILL_NOT}不(?:再)?在${HAN_WHAT}(?:工作|上班|任职|实习|干)了`)],
  ['profile', 'work', own(`^我${HAN_WHEN}(?:从[^，。！？,.!?\\s]{1,10})?(?:离职|辞职|失业|被裁)(?:员)?了`)],
  ['preferences', null, own(`^我${STILL_NOT}戒(?:掉)?(?<what>酒|烟|糖|咖啡|奶茶|可乐|辣)了`)],
  [
    'preferences',
    null,
    own(
      `^我(?:现在|已经|早就|再也|以后)(?:都|也)?不(?:再)?(?:吃|喝|喜欢|爱吃|爱喝|抽)${HAN_WHAT}了${HAN_STOPS}`,
    ),
  ],
  ['preferences', null, own(`^我不(?:吃|喝)${HAN_WHAT}了(?=.{0,4}医生|.{0,4}怀孕|.{0,4}过敏)`)],
  [
    'profile',
    null,
    own(
      `^我(?:们)?${HAN_WHEN}(?:[跟和与]?(?:我)?(?<what>女朋友|男朋友|老婆|老公|妻子|丈夫))?${HAN_WHEN}(?:分手|离婚)了${HAN_STOPS}`,
    ),
  ],
]

/** What a person says is true no longer; `null`: nothing. */
export function findEnded(clauses: readonly OwnClause[]): Ended | null {
  for (const { text, at, goesOn } of clauses) {
    if (goesOn) continue
    for (const [section, slot, pattern] of PATTERNS) {
      const match = pattern.exec(text)
      if (match) return { section, slot, what: match.groups?.['what'] ?? null, at }
    }
  }
  return null
}

const WORD = /[\p{sc=Latin}\p{N}][\p{sc=Latin}\p{M}\p{N}-]*|\p{sc=Han}+/gu
/**
 * Words of a line that say how something is, not what it is. What stands behind an apostrophe is a word here.
 */
const NO_OBJECT = new Set(
  'i im m ve re s t am my the a an at in on for as of to and also really still now currently always do just very so much live lives living reside resides based work works working eat eats drink drinks like likes love loves enjoy enjoys prefer prefers smoke smokes is are was user job strict'.split(
    ' ',
  ),
)
const NO_HAN_OBJECT =
  /我|用户|现在|目前|一直|已经|还|就|特别|非常|最|很|也|都|居住|住|在|工作|上班|任职|实习|是|一?[名个]|的|喜欢|爱|吃|喝|了/gu

function objectsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(WORD) ?? [])
    .flatMap(word => (/\p{sc=Han}/u.test(word) ? word.replace(NO_HAN_OBJECT, ' ').split(' ') : word))
    .filter(word => word !== '' && !NO_OBJECT.has(word))
}

const isPartOf = (one: string, other: string) =>
  one === other || (/\p{sc=Han}/u.test(one) && (one.includes(other) || other.includes(one)))

/**
 * Whether a line of the memory says what has ended, and nothing more. If it says more, that would be lost
 * with it. `slots`: the slots that the line fills; a person has one thing in each.
 */
export function isEndedBy(
  { slot, what }: Pick<Ended, 'slot' | 'what'>,
  line: { readonly said: string; readonly slots: ReadonlySet<Slot> },
): boolean {
  if (what === null) return slot !== null && line.slots.size === 1 && line.slots.has(slot)
  if ([...line.slots].some(each => each !== slot)) return false
  const ended = objectsOf(what)
  const told = objectsOf(line.said)
  return told.length > 0 && told.every(word => ended.some(each => isPartOf(word, each)))
}
