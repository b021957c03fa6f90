/** A word that replaces another one in what the speaker said right before. */
export interface Correction {
  readonly to: string
  /** The word that was wrong; `null`: the word of the same kind as `to`. */
  readonly from: string | null
  /**
   * The message itself says that something was wrong. If `to` cannot put it right, the wrong statement is not
   * kept.
   */
  readonly isCertain: boolean
}

/** A longer message says something of its own. */
const MAX_CHARACTERS = 80

const WORD = '[^\\s,.!?;:，。！？*][^,.!?;:，。！？*]{0,30}?'
const END = '[\\s.!。！~)\\p{Extended_Pictographic}]*$'
const CERTAIN = 'correction|typo|oops|whoops|my bad|autocorrect'
/** These words alone may also open an answer to something else. */
const WEAK = 'sorry|wait|no|nope|ah|oh|ugh|argh|actually'
const STRONG = `${CERTAIN}|i mean|i meant(?: to (?:say|write|type))?|make that|scratch that`
const HAN_CERTAIN = '不对|[打说写输]错字?了?|口误|手滑|更正|纠正一下'
const HAN_WEAK = '抱歉|不好意思|哦不|啊不|不不|等等|哦|啊'
const HAN_STRONG = `${HAN_CERTAIN}|应该是|我是说|我说的是`
const IT_IS = "(?:it's |its |that's |it is |i mean |i meant )?"

const PATTERNS = [
  `^\\s*\\*+ ?(?<to>${WORD})\\*?(?:,? (?:typo|sorry|oops))?${END}`,
  `^\\s*(?:(?:${WEAK})[,:.! …]+){0,2}(?<sign>${STRONG})[,:.! …]+${IT_IS}(?<to>${WORD})(?:,? (?:and )?not (?<from>${WORD}))?(?:,? (?:typo|sorry))?${END}`,
  `^\\s*(?:(?:${WEAK})[,:.! …]+){0,2}${IT_IS}(?<to>${WORD}),? (?:and )?not (?<from>${WORD})${END}`,
  `^\\s*(?:(?:${HAN_WEAK})[，,。！… ]*){0,2}(?<sign>${HAN_STRONG})[，,：:。！… ]*(?:不是(?<wrong>${WORD})[，,] ?)?(?:应该)?(?:是|叫)?(?<to>${WORD})(?:[，,] ?(?:不是(?<from>${WORD})|[^，,。！]{0,12}))?${END}`,
  `^\\s*(?:(?:${HAN_WEAK})[，,。！… ]*){0,2}不是(?<from>${WORD})[，,] ?(?:应该)?[是叫](?<to>${WORD})${END}`,
  `^\\s*(?:(?:${HAN_WEAK})[，,。！… ]*){0,2}是(?<to>${WORD})[，,]? ?不是(?<from>${WORD})${END}`,
].map(source => new RegExp(source, 'iu'))
const IS_CERTAIN = new RegExp(`${CERTAIN}|${HAN_CERTAIN}`, 'iu')

/** "Sorry, I mean Graz, not Linz"; `null`: the message is no correction. */
export function readCorrection(message: string): Correction | null {
  if (message.length > MAX_CHARACTERS) return null
  const said = message.replaceAll('’', "'")
  for (const pattern of PATTERNS) {
    const groups = pattern.exec(said)?.groups
    if (groups === undefined) continue
    const from = groups['from'] ?? groups['wrong'] ?? null
    const isCertain = from === null && IS_CERTAIN.test(groups['sign'] ?? 'typo')
    return { to: groups['to']!.trim(), from: from?.trim() ?? null, isCertain }
  }
  return null
}
