import { STOP_WORDS } from '../../search/index.ts'

const ENDS_ASKING = /[?？؟]["'”’」』)）\s\p{Extended_Pictographic}]*$/u
const BEGINS_ASKING =
  /^(?:(?:and|so|but|ok|okay|hey|hi|please)[\s,]+)*(?:who|whom|whose|what(?! an?\b)|when|where|which|why|how|do you (?:know|remember|recall)|(?:can|could) you (?:tell|remind)|tell me|remind me)(?:['’]s|['’]re)?\b/iu
const CHINESE_ASKING =
  /什么|甚么|谁|哪|几[个点岁号次]|多少|多大|多久|怎么|怎样|为何|为什么|何时|是不是|有没有|记不记得|还记得|[吗呢么]\s*$/u

/** Whether somebody wants to know something, as far as its form says. */
export function isQuestion(text: string): boolean {
  const trimmed = text.trim()
  return ENDS_ASKING.test(trimmed) || BEGINS_ASKING.test(trimmed) || CHINESE_ASKING.test(trimmed)
}

/**
 * Of what asks in a text, the words that what is sought may hold too; `null`: it asks nothing, or in words that say
 * nothing of what.
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

/** Words by which one asks, and which say nothing of what is asked for. */
const ASKING_WORDS =
  /\b(?:please|tell|told|remind|remember|recall|know|knew|say|said|says|mention(?:ed)?|talk(?:ed)?|ask(?:ed)?|again|exactly|hi|hello|hey)\b/giu
const CHINESE_ASKING_WORDS =
  /请问|告诉|提醒|还记得|记不记得|记得|知不知道|知道|说过|说了|提到|什么时候|什么|甚么|谁|哪里|哪儿|哪个|哪天|哪些|哪|几点|几个|几岁|几号|多少|多大|多久|怎么样|怎么|怎样|为什么|为何|何时|是不是|有没有|我们|你们|我的|你的|[我你您的是在了吗呢吧啊呀和跟]/gu

function withoutAsking(text: string): string {
  return withoutQuotes(text).replace(ASKING_WORDS, ' ').replace(CHINESE_ASKING_WORDS, ' ')
}

/** In quotes a search takes words as they stand; somebody who asks means no more than the words. */
function withoutQuotes(text: string): string {
  return text.replace(/["“”„«»「」『』]/gu, ' ')
}

/** Who asks for the name of a dog is told of the dog, and not of names. */
function withoutKinds(text: string): string {
  return text.replace(/\b(?:name|names|number|thing|things|kind|sort|date|day|time)\b|名字|号码|时间/giu, ' ')
}

/** Whether any of its words or signs says more than that somebody asks. */
function isTelling(text: string): boolean {
  const words = text.toLowerCase().match(/\p{Script=Latin}+|\p{N}+|[\p{L}\p{So}]/gu) ?? []
  return words.some(word => !STOP_WORDS.has(word) && !/^[a-z]$/.test(word))
}
