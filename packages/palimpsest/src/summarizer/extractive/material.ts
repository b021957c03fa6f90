import { isLead } from './own-clauses.ts'
import type { Sentence } from './sentences.ts'

/**
 * Text in a message that tells nothing of its sender: a text to work on, the task of a part to play, an
 * example, a letter. It mostly begins somewhere and goes on to the end.
 */

const PLEASE =
  "(?:(?:please|pls|can you|could you|would you|ok|okay|now|hey|hi|and|then|help me(?: to)?|i (?:need|want) you to|let's|lets|i'd like you to)[ ,]+){0,3}"
/** Behind these words, the rest of the message is the text that is to be made. */
const OPENS = new RegExp(
  `^\\s*${PLEASE}(?:write|compose|draft|generate|create|make up|continue|complete|fill (?:in|out)|act|pretend|imagine|suppose|role-?play|play the|say|repeat|print|echo|you are an?|you're an?|new game|example|examples|quote|riddle|question|scenario|role|character|story|poem|lyrics|dear|from|to|subject|re|fwd|to whom)(?![\\p{L}'])|^\\s*(?:请|帮我|麻烦|你来|我们来|来|给我|能不能|可以)?(?:帮我)?(?:写|編|编|造句|续写|扮演|假装|假设|想象|模拟|作文|剧本|模板|例句|例如|比如说?：|谜语|角色|对联|转发|【转发|故事|尊敬的|亲爱的|发件人|收件人|主题)`,
  'iu',
)
/** The words are about a text that stands before or behind them. */
const TREATS_TEXT = new RegExp(
  `(?:^|[\\n.!?:;,]\\s*)${PLEASE}(?:translate|proofread|paraphrase|rephrase|rewrite|reword|correct (?:my|this|the|me|it)|fix (?:my|this|the) (?:grammar|english|text|sentence|essay)|check (?:my|this|the|if this) (?:\\p{L}+ )?(?:grammar|english|text|essay|letter|email|sentence|cv|draft|bio|story|translation)|summari[sz]e|how (?:do|would) (?:you|i|we) say|what does .{1,80} mean)(?!\\p{L})|(?:my|the|this|an?) (?:essay|draft|cover letter|character sheet|backstory|screenplay|script|poem|test data|sample text|exam text)(?!\\p{L})|翻译|翻譯|润色|改写|校对|改通顺|修改语法|语法(?:对|错)|通顺吗|用(?:英语|英文|日语|法语|德语|韩语|中文)怎么说|[这那]句话|是什么意思`,
  'iu',
)
/** A message says at one of its ends what to do with it. */
const MAX_END_CHARACTERS = 1_000

/** Whether all of a message may be another person's text. */
export function treatsText(message: string): boolean {
  const ends = message.length > 2 * MAX_END_CHARACTERS
  return ends
    ? TREATS_TEXT.test(message.slice(0, MAX_END_CHARACTERS)) ||
        TREATS_TEXT.test(message.slice(-MAX_END_CHARACTERS))
    : TREATS_TEXT.test(message)
}

const COLON = /[:：](?=\s|$)|：/u
const ABOUT_SELF = /(?:about|introduc\p{L}*) (?:me|myself|us)|my profile|自我介绍|关于我|我的情况|个人情况/iu

/**
 * Whether a sentence sets a task, or leads to what another person wrote. All that stands behind it is then
 * that text.
 */
export function opensMaterial(sentence: string): boolean {
  if (OPENS.test(sentence)) return true
  const colon = COLON.exec(sentence)
  if (colon === null) return false
  const head = sentence.slice(0, colon.index)
  return !isLead(head) && !ABOUT_SELF.test(head)
}

const QUOTE = /["“”„「」『』«»]/gu
const CLOSING = /[”」』»]/u

/** The sentences of a line, without those that a quotation runs through. */
export function* unquoted(sentences: Iterable<Sentence>): Generator<Sentence> {
  let isOpen = false
  for (const sentence of sentences) {
    const wasOpen = isOpen
    for (const [mark] of sentence.clauses.join('').matchAll(QUOTE))
      isOpen = mark === '"' ? !isOpen : !CLOSING.test(mark)
    if (!wasOpen && !isOpen) yield sentence
  }
}
