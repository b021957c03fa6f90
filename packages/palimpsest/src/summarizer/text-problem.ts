/** What a text shows of itself that makes it no summary. */
export type TextProblem =
  | 'empty'
  | 'error_text'
  | 'refusal'
  | 'asks_for_conversation'
  | 'empty_template'
  | 'tool_call'

/** What may stand before the first word. `\W` would be wrong: it matches every Chinese character. */
const MARKS = String.raw`^[^\p{L}\p{N}]*`

const ERROR_TEXT = new RegExp(
  `${MARKS}(?:\\d{3}[^\\p{L}\\p{N}]+)?(?:error\\b[^.\\n]{0,80}\\b(?:summar|generat|request|occurr)|(?:failed|unable) to (?:generate|create|produce|summar)|(?:internal server error|rate limit|too many requests|service unavailable|request timed out|bad gateway)\\b|error"\\s*:|(?:doctype html|html)\\b)`,
  'iu',
)
const REFUSAL = new RegExp(
  `${MARKS}(?:i(?:['’]m| am) sorry,? (?:but )?i (?:can(?:no|['’])t|am (?:not able|unable))|i (?:can(?:no|['’])t|am (?:not able|unable) to|must decline|won['’]t) (?:help|assist|summar|comply|provide|continue|do that)|as an ai\\b|(?:很)?抱歉[，,]?我(?:无法|不能)|对不起[，,]?我(?:无法|不能)|申し訳ありませんが)`,
  'iu',
)
/** Refusals in other languages. They are no content, because a summary is not told in the first person. */
const REFUSAL_ELSEWHERE = new RegExp(
  `${MARKS}(?:(?:es )?tut mir (?:sehr )?leid[,.]? (?:aber )?(?:(?:das|dabei|damit|hier|leider) )?(?:ich (?:kann|darf|bin)|kann ich)|(?:entschuldigung[,.]? (?:aber )?)ich kann|leider kann ich|ich kann (?:dabei|damit|dir|ihnen|diese[nrsm]?|leider|keine|nicht)\\b|(?:je suis (?:vraiment )?)?désolée?[,.]? (?:mais )?je ne (?:peux|suis|pourrai)|je ne (?:peux|suis) pas (?:en mesure|vous|résumer|aider|t['’]aider)|lo siento[,.]? (?:pero )?no (?:puedo|me es)|(?:desculpe|sinto muito|lamento)[,.]? (?:mas )?(?:eu )?não posso|mi dispiace[,.]? (?:ma )?non posso|(?:извините|простите|к сожалению)[,.]? (?:но )?я не (?:могу|смогу)|죄송(?:하지만|합니다))`,
  'iu',
)
const ERROR_SENTENCE = new RegExp(
  `${MARKS}(?:(?:(?:i['’]m |we['’]re |we are |i am )?(?:so |very )?sorry|oops|uh-oh)[,.!:]* (?:but )?)?(?:something went wrong|(?:there was )?an? (?:unexpected |internal |unknown )?error(?: has)?(?: occurred)?)(?:[^\\p{L}\\p{N}]*$|[.!,;:]* (?:please )?try(?:ing)? again)`,
  'iu',
)
/** What programs say when a call fails. It counts only where the text says nothing else. */
const ERROR_WORDS =
  /^(?:\w*error )?(?:failed to fetch|fetch failed|load failed|network error|connection (?:error|refused|reset|timed out|closed)|socket hang up|request failed(?: with status code \d+)?|timed? ?out|unknown error|econn\w+|etimedout)$/i
/** The rest of a template, or of a program that had nothing to say. */
const NO_WORDS = /^(?:null|undefined|nan|true|false|object object|ok|okay)$/i
const NOTHING_THERE = new RegExp(
  `${MARKS}(?:(?:it (?:looks|seems|appears) (?:like|as if|that) )?(?:(?:the |this |your )?(?:provided |given )?(?:conversation|transcript|chat|messages?|message list|input|text) (?:is|are|was|were|seems|appears)(?: to be)? (?:empty|blank|missing)(?:[^\\p{L}\\p{N}]*$|[.!,;])|(?:there (?:is|was|are|were) )?no (?:conversation|messages?|transcript|text|content) (?:(?:was|were|is|are|has been|have been) )?(?:provided|given|included|to summar)|you (?:haven['’]t|have not|didn['’]t|did not) (?:yet )?(?:provided?|shared?|included?|pasted?|sen[dt]) (?:me )?(?:a|any|the) (?:conversation|transcript|messages?|text))|i(?:['’]d| would|['’]ll| will)? (?:still )?need (?:to see )?(?:the|a|your) (?:full )?(?:conversation|transcript|messages|text)\\b|(?:could|can|would) you (?:please )?(?:provide|share|paste|send)\\b|(?:对话|会话)(?:内容|记录)?(?:为空|是空的))`,
  'iu',
)
const ASKS =
  /(?:please (?:provide|share|paste|send)[^.\n]{0,40}\b(?:conversation|transcript|messages|text)\b|(?:there (?:is|are) no|i (?:don(?:'|’)t|do not) see (?:any|a)) (?:conversation|messages|text) to summar|请提供(?:对话|会话|内容)|会話を(?:提供|共有))/i
const TOOL_CALL =
  /^\s*(?:<tool_call|<function_call|<\|tool|\{\s*"(?:tool_calls?|function_call|name"\s*:\s*"[^"]+"\s*,\s*"arguments))/i
const PLACEHOLDER = /^(?:[\p{L} ]{1,40}[:：])? ?(?:none|n\/a|not applicable|nothing|无|没有|なし)?$/iu
const MAX_PLACEHOLDER = 60

/** The part of a text in which it would say that it is no summary. A quotation further down is content. */
const OPENING_CHARACTERS = 300
/**
 * A text that asks for the conversation says little else. A summary may well tell that a person asked for a
 * text.
 */
const ASKING_CHARACTERS = 400

export function findTextProblem(text: string): TextProblem | null {
  if (text.trim() === '') return 'empty'
  const opening = text.trimStart().slice(0, OPENING_CHARACTERS).normalize('NFC')
  if (TOOL_CALL.test(opening)) return 'tool_call'
  if (ERROR_TEXT.test(opening)) return 'error_text'
  if (REFUSAL.test(opening) || REFUSAL_ELSEWHERE.test(opening)) return 'refusal'
  if (text.length < ASKING_CHARACTERS) {
    const words = wordsOf(text)
    if (ERROR_SENTENCE.test(opening) || ERROR_WORDS.test(words)) return 'error_text'
    if (NO_WORDS.test(words)) return 'empty_template'
    if (ASKS.test(opening) || NOTHING_THERE.test(opening)) return 'asks_for_conversation'
  }
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.every(line => /^\s*#/.test(line) || isPlaceholder(line))) return 'empty_template'
  return null
}

/** From a source of so many tokens, more can be said than a few words. */
const LONG_SOURCE_TOKENS = 300
const MIN_WORDS = 4
/** In tokens. A summary that had less room may be a few words. */
export const ROOM_FOR_WORDS = 40
/** Scripts without spaces between words, or with long words: two of their characters count as one word. */
const CHARACTERS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u

/** So few words cannot be the summary of so long a source. */
export function isTooShort(text: string, sourceTokens: number): boolean {
  if (sourceTokens < LONG_SOURCE_TOKENS) return false
  let words = 0
  let isInside = false
  for (const character of text) {
    const isPart = /[\p{L}\p{M}\p{N}]/u.test(character)
    const isWhole = isPart && CHARACTERS.test(character)
    if (isWhole) words += 0.5
    else if (isPart && !isInside) words += 1
    if (words >= MIN_WORDS) return false
    isInside = isPart && !isWhole
  }
  return true
}

/** The text in one line, without marks. */
function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
}

/** A line that holds no words but a heading and "none". Marks are taken out first, in linear time. */
function isPlaceholder(line: string): boolean {
  const words = line.replace(/[^\p{L}\p{N}:：/]+/gu, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(words)) return true
  return words.length <= MAX_PLACEHOLDER && PLACEHOLDER.test(words)
}
