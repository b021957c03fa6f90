import type { FactSection } from '../summarizer.ts'
import { A_JOB, DIETS, I, I_AM, type Slot } from './personal-patterns.ts'

/** What was so of somebody, and is so no longer. */
export interface Ended {
  readonly section: FactSection
  readonly slot: Slot | null
  /** What has ended, in the words of the sentence; `null`: whatever it was that the slot says. */
  readonly what: string | null
  readonly at: number
}

type Pattern = readonly [section: 'profile' | 'preferences', slot: Slot | null, pattern: RegExp]

const u = (source: string) => new RegExp(source, 'iu')
const WHAT = '(?<what>[^.,;!?()]{1,60}?)'
const ANY_MORE = '(?= any ?more(?!\\p{L})| any longer(?!\\p{L}))'
const HAN_WHAT = '(?<what>[^，。！？,.!?\\s]{1,12}?)'
const STILL_NOT = '(?:现在|已经|早就|早|再也|以后|都){0,3}'

/** In which one is for years, and then no longer. */
const STATE = `${DIETS}|married|single|engaged|pregnant|(?:allergic|intolerant) to [\\p{L}]{1,20}`

/** With a group `what`: that has ended; without: all that the slot says. */
const PATTERNS: readonly Pattern[] = [
  ['profile', 'home', u(`${I} (?:don't|do not) live (?:in |at )?${WHAT}${ANY_MORE}`)],
  ['profile', 'home', u(`${I} no longer live (?:in |at )?${WHAT}(?=[.,;!?]|$| and | but )`)],
  ['profile', 'work', u(`${I} (?:don't|do not) work (?:there|here)${ANY_MORE}`)],
  ['profile', 'work', u(`${I} (?:don't|do not) work (?:at |for |in |as an? )?${WHAT}${ANY_MORE}`)],
  ['profile', 'work', u(`${I} no longer work (?:at |for |in |as an? )?${WHAT}(?=[.,;!?]|$| and | but )`)],
  [
    'profile',
    'work',
    /(?<![\p{L}'-])i(?:'ve| have)?(?: just| recently| finally)? (?:quit|lost|left) my job(?=[.,;!?]|$| at | last | yesterday| today| in | and | because| for )/iu,
  ],
  [
    'profile',
    'work',
    /(?<![\p{L}'-])i(?:'ve| have)?(?: just| recently)? (?:got|was|been|have been) (?:laid off|fired|made redundant)(?!\p{L})/iu,
  ],
  ['profile', 'work', u(`${I_AM} no longer (?<what>${A_JOB})`)],
  ['profile', null, u(`${I_AM} no longer (?:an? |on an? )?(?<what>${STATE})(?!\\p{L})`)],
  ['profile', null, u(`${I_AM} not (?:an? )?(?<what>${STATE})(?: [^.,;!?]{1,30}?)?${ANY_MORE}`)],
  ['profile', 'work', u(`${I_AM} not (?<what>${A_JOB})${ANY_MORE}`)],
  [
    'preferences',
    null,
    u(`${I} (?:don't|do not) (?:even )?(?:eat|drink|like|love|enjoy|smoke) ${WHAT}${ANY_MORE}`),
  ],
  [
    'preferences',
    null,
    u(`${I} no longer (?:eat|drink|like|love|enjoy|smoke) ${WHAT}(?=[.,;!?]|$| and | but )`),
  ],
  [
    'profile',
    null,
    u(
      `(?<![\\p{L}'-])i(?:'ve| have)?(?: just| recently)? (?:stopped|quit|gave up|given up) (?:eating|drinking|smoking|being) ${WHAT}(?=[.,;!?]|$| and | but )`,
    ),
  ],
  ['profile', 'home', u(`我${STILL_NOT}不(?:再)?住在?${HAN_WHAT}了(?=[，。！,.!\\s]|$)`)],
  ['profile', 'work', u(`我${STILL_NOT}不(?:再)?在${HAN_WHAT}(?:工作|上班|任职|实习)了`)],
  ['profile', 'work', u(`我(?:已经|刚|前几天|上个?[周月])?(?:离职|辞职|失业|被裁)(?:员)?了`)],
  ['preferences', null, u(`我${STILL_NOT}戒(?<what>酒|烟|糖|咖啡|奶茶|可乐|辣)了`)],
  [
    'preferences',
    null,
    u(
      `我(?:现在|已经|早就|再也|以后)(?:都)?不(?:再)?(?:吃|喝|喜欢|爱吃|爱喝)${HAN_WHAT}了(?=[，。！,.!\\s]|$)`,
    ),
  ],
  ['preferences', null, u(`我不(?:吃|喝)${HAN_WHAT}了(?=.{0,4}医生|.{0,4}怀孕|.{0,4}过敏)`)],
  [
    'profile',
    null,
    u(
      `我(?:们)?(?:已经|刚|上个?月|去年)?(?:[跟和与]?(?<what>女朋友|男朋友|老婆|老公|妻子|丈夫))?(?:分手|离婚)了(?=[，。！,.!\\s]|$)`,
    ),
  ],
]

/** What a sentence says to be so no longer; `null`: nothing. Quotations and what is only supposed are the caller's. */
export function findEnded(said: string): Ended | null {
  for (const [section, slot, pattern] of PATTERNS) {
    const match = pattern.exec(said)
    if (match) return { section, slot, what: match.groups?.['what'] ?? null, at: match.index }
  }
  return null
}

const WORD = /[\p{sc=Latin}\p{N}][\p{sc=Latin}\p{M}\p{N}-]*|\p{sc=Han}+/gu
/** Words of a line that say how something is so, not what; what stands behind an apostrophe is a word here. */
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
 * Whether a line of the memory says what has ended, and nothing beside it: what more it says would be lost with it.
 * `slots`: what the line says that a person has one of.
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
