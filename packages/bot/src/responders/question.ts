import { STOP_WORDS } from 'palimpsest/internals/search/index'

const ENDS_ASKING = /[?？؟]["'”’」』)）\s\p{Extended_Pictographic}]*$/u
const POLITE = String.raw`(?:(?:and|so|but|ok|okay|hey|hi|please)[\s,]+)*`
const HELPING =
  "(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must)(?:n[’']t)?"
/** After a question word, one of these subjects makes a clause of a statement: “When I was young …”. */
const SUBJECT = String.raw`(?:i|you|he|she|it|we|they|my|your|his|her|its|our|their|the|this|these|those|there|an?|nobody|somebody|someone|everybody|everyone|people)(?:['’]\w+)?\b`
const ASKING_FORMS = [
  String.raw`(?:who|whom|whose|what)(?:['’](?:s|re|d|ll))?(?:\s*$|\s+(?!${SUBJECT}))`,
  String.raw`what['’]?s\b`,
  String.raw`(?:who|what|when|where|why|how|which)(?:['’](?:s|re|d|ll)\b|(?:\s+(?:exactly|again|else|on earth))?\s+${HELPING}\b)`,
  String.raw`which\s+(?!reminds|means|is\s+why|${SUBJECT})`,
  String.raw`how\s+(?:many|much|old|long|far|often|come|about|to)\b`,
  String.raw`how\s+(?!${SUBJECT})\S+\s+${HELPING}\b`,
  String.raw`(?:when|where|why|how|which)(?:\s+(?:to|not|exactly|again|else))?\s*$`,
  String.raw`do\s+(?:i|you|we|they)\b`,
  String.raw`(?:does|did|was|is|are|has|will)\s+(?:i|you|he|she|it|we|they|my|your|his|her|our|their|the|this|that|there)\b`,
  String.raw`(?:am|have|can|could|shall|should|may|must)\s+(?:i|we)\b|have\s+(?:you|they)\b`,
  String.raw`(?:can|could)\s+you\s+(?:tell|remind)\b`,
  String.raw`tell\s+(?:me|us)\b(?!\s+(?:when|if|once)\s+${SUBJECT})`,
  String.raw`remind\s+(?:me|us)(?:\s*$|\s+(?:again|who|whom|whose|what|when|where|which|why|how|of|about)\b)`,
]
const BEGINS_ASKING = new RegExp(`^${POLITE}(?:${ASKING_FORMS.join('|')})`, 'iu')

const CHINESE_ASKING =
  /什么|甚么|谁|哪|几[个点岁号次]|多少|多大|多久|怎么|怎样|为何|为什么|何时|是不是|有没有|记不记得|还记得|[吗呢么]\s*$/u
/** The same words in other meanings: some, any or none. */
const CHINESE_TELLING =
  /哪怕|(?:没有?|不[是算]?)(?:什么|甚么|谁|怎么|多少|几[个点岁号次])|不(?:知道?|晓得|明白|清楚|记得|懂)(?:是|到底|究竟|自己)?(?:为什么|什么|甚么|谁|哪[里儿个天些]?|怎么|怎样|多少|多久|为何|何时)|(?:什么|谁|哪[里儿个]?|怎么|多少)[^，。！？]{0,4}[都也]|什么的|[了过好十数这那前后]几[个点岁号次]|多少有些|(?:无论|不管)[^，。！？]*/gu
/** A question ends with a question mark or with no sign at all, never with one of these. */
const CHINESE_STATEMENT = /[。！!.]\s*$/u
const CHINESE_REQUEST = /^(?:请问|请?告诉我|你?还?记不记得|你还?记得|你知道)/u

/** Whether a text asks something, judged by its form. */
export function isQuestion(text: string): boolean {
  const trimmed = text.trim()
  return isMarkedQuestion(trimmed) || BEGINS_ASKING.test(trimmed) || asksInChinese(trimmed)
}

/** Whether a question mark ends the text. */
export function isMarkedQuestion(text: string): boolean {
  return ENDS_ASKING.test(text.trim())
}

function asksInChinese(text: string): boolean {
  if (CHINESE_REQUEST.test(text)) return true
  return !CHINESE_STATEMENT.test(text) && CHINESE_ASKING.test(text.replace(CHINESE_TELLING, ' '))
}

/**
 * The words of a question that its answer may hold, too. `null`: the text asks nothing, or none of its words
 * tells what is sought.
 */
export function soughtIn(text: string): string | null {
  if (!isQuestion(text)) return null
  const asking = withoutAsking(sentencesOf(text).filter(isQuestion).join(' '))
  const all = withoutAsking(text)
  return [withoutKinds(asking), asking, withoutKinds(all), all].find(isTelling) ?? null
}

function sentencesOf(text: string): readonly string[] {
  return text.match(/[^.!?。！？\n]+(?:[.!?。！？]+(?!\s|$)[^.!?。！？\n]+)*[.!?。！？]*/gu) ?? []
}

/** Words that belong to asking and tell nothing about what is sought. */
const ASKING_WORDS =
  /\b(?:please|tell|told|remind|remember|recall|know|knew|say|said|says|mention(?:ed)?|talk(?:ed)?|ask(?:ed)?|again|exactly|hi|hello|hey)\b/giu
const CHINESE_ASKING_WORDS =
  /请问|告诉|提醒|还记得|记不记得|记得|知不知道|知道|说过|说了|提到|什么时候|什么|甚么|谁|哪里|哪儿|哪个|哪天|哪些|哪|几点|几个|几岁|几号|多少|多大|多久|怎么样|怎么|怎样|为什么|为何|何时|是不是|有没有|我们|你们|我的|你的|[我你您的是在了吗呢吧啊呀和跟]/gu

function withoutAsking(text: string): string {
  return withoutQuotes(text).replace(ASKING_WORDS, ' ').replace(CHINESE_ASKING_WORDS, ' ')
}

/** A search takes quoted words literally. A person who asks does not mean that. */
function withoutQuotes(text: string): string {
  return text.replace(/["“”„«»「」『』]/gu, ' ')
}

/** A question for the name of a dog should find the dog, not the word “name”. */
function withoutKinds(text: string): string {
  return text.replace(/\b(?:name|names|number|thing|things|kind|sort|date|day|time)\b|名字|号码|时间/giu, ' ')
}

/** Whether any word or sign tells what is sought. */
function isTelling(text: string): boolean {
  const words = text.toLowerCase().match(/\p{Script=Latin}+|\p{N}+|[\p{L}\p{So}]/gu) ?? []
  return words.some(word => !STOP_WORDS.has(word) && !/^[a-z]$/.test(word))
}
