import { isAssent, isRefusal } from './assent.ts'
import { findValues } from './values.ts'

/**
 * What an answer needs. It answers the question that it replies to, that was put to its speaker, or that it
 * fits.
 */

type Wanted = 'who' | 'when' | 'where' | 'number' | 'which' | 'yes' | 'other'

const HAN_ASKS =
  /谁|什么|啥|几[点号个人天月岁间张次位]|周几|星期几|多少|多久|多大|多远|哪|怎么|咋|为何|凭什么|何时|(?<!不)(\p{sc=Han})不\1|有没有|是不是|能不能|要不要|好不好|行不行|可不可以|呢$|吗|么$/u
/** 什么都行, 没什么, 谁爱付谁付, 不知道几点 ask nothing. */
const HAN_STATES =
  /(?:谁|什么|哪[里儿个]?|怎么|多少|几[点个]).{0,4}[都也]|没(?:有)?(?:什么|啥|谁)|(?:不知道|忘了|看看?|问问?|告诉|随便|无论|不管|取决于|才知道).{0,6}(?:谁|什么|啥|几|多少|哪|怎么)|谁.{1,3}谁|什么的$|哪怕|几乎|多少(?:有点|会)|就什么|不怎么|没怎么|怎么(?:这么|那么)/u
const MAX_HAN_QUESTION = 22
const ASKS =
  /^(?:(?:and|so|but|ok|also|hey|wait|well|or|@\S+|\p{L}{2,12},)[, ]+)*(?:who|whose|what|which|where|why|how)(?:['’](?:s|re|d|ll))?(?! (?:a|an|ever|matters|nice|cool|great|sweet|lovely|funny|about that))(?!\p{L})|^(?:(?:and|so|but|ok|also|hey)[, ]+)*when(?:['’]s| (?:is|are|do|does|did|will|can|should|was|were|exactly))(?!\p{L})|^(?:(?:and|so|but|ok|also|hey|\p{L}{2,12},)[, ]+)*(?:does|do|did|is|are|can|could|will|would|should|shall|has|have|was|were|am|any(?:one|body)) (?:i|you|we|he|she|it|they|the|this|that|there|any|anyone|anybody|your|our|my|has|have|know|want|got|up|bring)(?!\p{L})/iu
const MAX_QUESTION = 90
const ENDS_STATEMENT = /[.!。！…]\s*$/u

/** Whether a text asks without a question mark: 几点集合, "which exit". */
export function asksWithoutMark(text: string): boolean {
  const said = text.trim()
  if (said.length > MAX_QUESTION || ENDS_STATEMENT.test(said)) return false
  if (/\p{sc=Han}/u.test(said))
    return said.length <= MAX_HAN_QUESTION && HAN_ASKS.test(said) && !HAN_STATES.test(said)
  return ASKS.test(said)
}

const WANTED: readonly (readonly [Wanted, RegExp])[] = [
  ['who', /谁|哪位|(?<!\p{L})(?:who|whose|whom|anyone|anybody|wer|quién|qui|chi|кто)(?!\p{L})/iu],
  [
    'number',
    /多少|几[个人天岁间张次位块]|多久|多大|多远|(?<!\p{L})how (?:many|much|long|old|far|big)|(?<!\p{L})(?:wie viele?|cuánt[oa]s?|combien|quant[oi]|сколько)(?!\p{L})|what (?:number|price|code)|password|密码/iu,
  ],
  [
    'when',
    /几[点号月]|什么时候|啥时候|何时|哪天|哪一天|周几|星期几|(?<!\p{L})(?:when|what (?:time|day|date)|which day|wann|cuándo|quand|quando|когда|uhr)(?!\p{L})/iu,
  ],
  [
    'where',
    /哪[里儿站家边]|在哪|去哪|什么地方|地址|(?<!\p{L})(?:where|which (?:exit|place|room|street|station)|wo|wohin|dónde|où|dove|onde|где|куда)(?!\p{L})/iu,
  ],
  [
    'which',
    /哪|什么|啥|怎么|为什么|(?<!\p{L})(?:which|what|how|why|was|welche[rs]?|wie|warum|qué|cuál|cómo|que|quel|quelle|comment|pourquoi|какой|что|как|почему)(?!\p{L})/iu,
  ],
]
const CHOICE = /还是|(?<!\p{L})or(?!\p{L})/iu

function wantedBy(text: string): Wanted {
  const found = WANTED.find(([, pattern]) => pattern.test(text))?.[0]
  if (found !== undefined) return found
  return CHOICE.test(text) ? 'which' : 'yes'
}

const YES_OR_NO =
  /^(?:(?:@\S+|oh|哦|ah|well)[, ]*)?(?:yes|yeah|yep|yup|no|nope|nah|sure|ok|okay|of course|not (?:yet|really|sure|any ?more)|i (?:do|don['’]?t|can|can['’]?t|will|won['’]?t|have|haven['’]?t|think so)|maybe|definitely|absolutely|never|ja|nein|sí|si|oui|non|sim|não|да|нет|네|아니|はい|いいえ|有|没有?|没了|会|不会|能|不能|可以|不可以|可|行|不行|好|不好|要|不要|是|不是|对|不对|在|不在|去|不去|带|不带|嗯|没问题|当然|应该|可能|买了|到了|不用|算了|知道|不知道|想|不想|够了?|不够)(?!\p{Ll})/iu
const PERSON =
  /^(?:not )?(?:me|i|i['’](?:ll|m|ve|d)|us|we|he|she|him|her|they|myself|我|他|她|我们|俺|咱|ich|moi|yo|io|eu|я)(?![\p{Ll}])|^@|^\p{Lu}\p{Ll}+[\s.!]*$|^[小老阿]?\p{sc=Han}{1,3}(?:来|去|吧|带|负责|做|办)|[我他她](?:来|去|带|有|做|办)/iu
const PLACE =
  /(?<!\p{L})(?:at|in|on|under|behind|near|next to|by|opposite|inside|above|there|here|im|am|bei|en|à|dans|chez|в|на)(?!\p{L})|在|[站店路街口楼室馆厅家园湖山海里边]$/iu

/** 0: no answer to that question; 1: perhaps one; 2: it fits. */
function fitOf(answer: string, wanted: Wanted, hasNumber: boolean, hasDay: boolean): number {
  const saysYes = YES_OR_NO.test(answer) || isAssent(answer) || isRefusal(answer)
  switch (wanted) {
    case 'yes':
      return saysYes ? 2 : 1
    case 'who':
      return PERSON.test(answer) ? 2 : saysYes || hasDay || hasNumber ? 0 : 1
    case 'when':
      return hasDay ? 2 : hasNumber ? 1 : saysYes ? 0 : 1
    case 'number':
      return hasNumber ? 2 : saysYes || hasDay ? 0 : 1
    case 'where':
      return PLACE.test(answer) ? 2 : saysYes || hasDay ? 0 : 1
    default:
      return saysYes ? 0 : 1
  }
}

interface Open {
  readonly unit: number
  readonly message: number
  readonly person: string
  readonly text: string
  readonly wanted: Wanted
  isAnswered: boolean
}

const MAX_OPEN = 12
const MAX_MESSAGES = 14
/** An answer that comes later than the next message has to fit. */
const NEXT_MESSAGES = 2

export class OpenQuestions {
  #open: Open[] = []
  readonly #ofMessage = new Map<number, Open>()

  ask(question: { unit: number; message: number; person: string; text: string }): void {
    const open = { ...question, wanted: wantedBy(question.text), isAnswered: false }
    this.#open.push(open)
    if (this.#open.length > MAX_OPEN) this.#open.shift()
    this.#ofMessage.set(question.message, open)
  }

  /** The question's unit; `null`: it answers no open question. */
  answered(answer: {
    message: number
    person: string
    name: string
    text: string
    repliesTo: number | null
  }): number | null {
    const { message, person, name, text, repliesTo } = answer
    if (repliesTo !== null) {
      const open = this.#ofMessage.get(repliesTo)
      // A reply to a statement answers no question.
      if (open === undefined || open.person === person) return null
      open.isAnswered = true
      return open.unit
    }
    const values = findValues(text)
    const hasNumber = values.some(({ kind }) => kind !== 'day' && kind !== 'time')
    const hasDay = values.some(({ kind }) => kind === 'day' || kind === 'time') || SOME_DAY.test(text)
    let best: Open | null = null
    let bestScore = 0
    for (const open of this.#open) {
      const distance = message - open.message
      if (open.person === person || distance > MAX_MESSAGES || distance < 1) continue
      const fit = fitOf(text, open.wanted, hasNumber, hasDay)
      if (fit === 0 || (fit === 1 && distance > NEXT_MESSAGES + 1)) continue
      const score =
        4 * fit + (isPutTo(open.text, name) ? 6 : 0) + (open.isAnswered ? 0 : 2) - distance / 2 + 1
      if (score > bestScore || (score === bestScore && best !== null)) {
        best = open
        bestScore = score
      }
    }
    if (best === null) return null
    best.isAnswered = true
    return best.unit
  }
}

const SOME_DAY =
  /明天|后天|今[天晚]|昨天|下周|上午|下午|晚上|早上|月底|周末|[年月周]后|(?<!\p{L})(?:tomorrow|today|tonight|next week|morning|afternoon|evening|weekend|yesterday|heute|morgen|mañana|demain|domani|завтра)(?!\p{L})/iu

/** "Bo, …", "@Bo", 小满你去订？: the question holds the name. */
function isPutTo(question: string, name: string): boolean {
  if (name.length < 2) return false
  const first = name.split(' ')[0]!
  const asked = question.toLowerCase()
  return (
    asked.includes(first.toLowerCase()) || (/^\p{sc=Han}{3}$/u.test(name) && asked.includes(name.slice(1)))
  )
}

const WORD = /\p{sc=Han}|[\p{sc=Hiragana}\p{sc=Katakana}]+|\p{sc=Hangul}+|[\p{L}\p{N}][\p{L}\p{N}'’:.,/-]*/gu
const ORDINAL =
  /^(?:the )?(?:first|second|third|last|other|red|blue|green|black|white|big(?:ger)?|small(?:er)?|cheap(?:er)?|new|old|left|right|same) (?:one|ones|option)?$|^(?:option )?[a-d]$|^(?:第[一二三四五]个?|前者|后者|都行|都可以|随便|上面那个|下面那个|左边|右边|这个|那个|[上下左右]边的?)[吧啊呀的]*$/iu
const MAX_FRAGMENT_WORDS = 3
const MAX_FRAGMENT_HAN = 6
const VERB_OR_TIE =
  /[是有要会能想去来带买订付给说吃喝做用住坐叫改换发算]|(?<!\p{L})(?:is|are|was|were|be|'?s|'?m|'?re|have|has|had|will|can|need|want|bring|buy|pay|take|go|going|come|book|booked|paid|bought|make|get)(?!\p{L})|['’](?:s|m|re|ll|ve|d)(?!\p{L})/iu

/** Whether a text says nothing without its question: "Yes", "twelve", "the second one", 周五吧, 可以. */
export function isBare(text: string): boolean {
  const said = text.trim()
  if (said.length > 24) return false
  if (isAssent(said) || isRefusal(said) || ORDINAL.test(said)) return true
  const words = said.match(WORD) ?? []
  if (words.length === 0) return false
  if (YES_OR_NO.test(said) && words.length <= MAX_FRAGMENT_WORDS + 1) return true
  const rest = findValues(said).reduceRight(
    (left, { start, end }) => `${left.slice(0, start)} ${left.slice(end)}`,
    said,
  )
  const left =
    rest
      .replace(SOME_DAY, ' ')
      .match(WORD)
      ?.filter(
        word => !/^[吧啊呀的了嘛哦呢就那在]$|^(?:at|on|by|in|the|around|about|maybe|um|am|a)$/iu.test(word),
      ) ?? []
  return left.length === 0
}

/** A few words without a verb. They may stand alone, but lean on what stands before them. */
export function isFragment(text: string): boolean {
  const said = text.trim()
  if (isBare(said)) return true
  const words = said.match(WORD) ?? []
  const most = /\p{sc=Han}/u.test(said) ? MAX_FRAGMENT_HAN : MAX_FRAGMENT_WORDS
  return words.length > 0 && words.length <= most && !VERB_OR_TIE.test(said)
}
