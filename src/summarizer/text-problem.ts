/** What a text says of itself that makes it no summary. */
export type TextProblem =
  | 'empty'
  | 'error_text'
  | 'refusal'
  | 'asks_for_conversation'
  | 'empty_template'
  | 'tool_call'

/** What may stand before the first word. `\W` would not do: to it, every Chinese character is one. */
const MARKS = String.raw`^[^\p{L}\p{N}]*`

const ERROR_TEXT = new RegExp(
  `${MARKS}(?:\\d{3}[^\\p{L}\\p{N}]+)?(?:error\\b[^.\\n]{0,80}\\b(?:summar|generat|request|occurr)|(?:failed|unable) to (?:generate|create|produce|summar)|(?:internal server error|rate limit|too many requests|service unavailable|request timed out|bad gateway)\\b|error"\\s*:|(?:doctype html|html)\\b)`,
  'iu',
)
const REFUSAL = new RegExp(
  `${MARKS}(?:i(?:['’]m| am) sorry,? (?:but )?i (?:can(?:no|['’])t|am (?:not able|unable))|i (?:can(?:no|['’])t|am (?:not able|unable) to|must decline|won['’]t) (?:help|assist|summar|comply|provide|continue|do that)|as an ai\\b|(?:很)?抱歉[，,]?我(?:无法|不能)|对不起[，,]?我(?:无法|不能)|申し訳ありませんが)`,
  'iu',
)
const ASKS =
  /(?:please (?:provide|share|paste|send)[^.\n]{0,40}\b(?:conversation|transcript|messages|text)\b|(?:there (?:is|are) no|i (?:don(?:'|’)t|do not) see (?:any|a)) (?:conversation|messages|text) to summar|请提供(?:对话|会话|内容)|会話を(?:提供|共有))/i
const TOOL_CALL =
  /^\s*(?:<tool_call|<function_call|<\|tool|\{\s*"(?:tool_calls?|function_call|name"\s*:\s*"[^"]+"\s*,\s*"arguments))/i
const PLACEHOLDER = /^(?:[\p{L} ]{1,40}[:：])? ?(?:none|n\/a|not applicable|nothing|无|没有|なし)?$/iu
const LONGEST_PLACEHOLDER = 60

/** The part of a text in which it would say that it is no summary; what is quoted further down is content. */
const OPENING_CHARACTERS = 300
/** Who asks for the conversation says little else; a summary may well tell that somebody asked for a text. */
const ASKING_CHARACTERS = 400

export function findTextProblem(text: string): TextProblem | null {
  if (text.trim() === '') return 'empty'
  const opening = text.trimStart().slice(0, OPENING_CHARACTERS)
  if (TOOL_CALL.test(opening)) return 'tool_call'
  if (ERROR_TEXT.test(opening)) return 'error_text'
  if (REFUSAL.test(opening)) return 'refusal'
  if (text.length < ASKING_CHARACTERS && ASKS.test(opening)) return 'asks_for_conversation'
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.every(line => /^\s*#/.test(line) || isPlaceholder(line))) return 'empty_template'
  return null
}

/** A line that holds no word but a heading's and "none". Marks are taken out first, in linear time. */
function isPlaceholder(line: string): boolean {
  const words = line.replace(/[^\p{L}\p{N}:：/]+/gu, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(words)) return true
  return words.length <= LONGEST_PLACEHOLDER && PLACEHOLDER.test(words)
}
