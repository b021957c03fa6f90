/** Why a summary cannot be stored as one. */
export type SummaryProblem =
  | 'empty'
  | 'longer_than_source'
  | 'over_budget'
  | 'error_text'
  | 'refusal'
  | 'asks_for_conversation'
  | 'empty_template'
  | 'tool_call'

const ERROR_TEXT =
  /^\W*(?:\d{3}\W+)?(?:error\b[^.\n]{0,80}\b(?:summar|generat|request|occurr)|(?:failed|unable) to (?:generate|create|produce|summar)|(?:internal server error|rate limit|too many requests|service unavailable|request timed out|bad gateway)\b|\{?\s*"error"\s*:)/i
const REFUSAL =
  /^\W*(?:i(?:'m| am) sorry,? (?:but )?i (?:can(?:no|')t|am (?:not able|unable))|i (?:can(?:no|')t|am (?:not able|unable) to|must decline|won(?:'|’)t) (?:help|assist|summar|comply|provide|continue|do that)|as an ai\b|(?:很)?抱歉[，,]?我(?:无法|不能)|对不起[，,]?我(?:无法|不能)|申し訳ありませんが)/i
const ASKS =
  /(?:please (?:provide|share|paste|send)[^.\n]{0,40}\b(?:conversation|transcript|messages|text)\b|(?:there (?:is|are) no|i (?:don(?:'|’)t|do not) see (?:any|a)) (?:conversation|messages|text) to summar|请提供(?:对话|会话|内容)|会話を(?:提供|共有))/i
const TOOL_CALL =
  /^\s*(?:<tool_call|<function_call|<\|tool|\{\s*"(?:tool_calls?|function_call|name"\s*:\s*"[^"]+"\s*,\s*"arguments))/i
const PLACEHOLDER = /^\W*(?:[\p{L} ]{1,40}[:：])?\W*(?:none|n\/a|not applicable|nothing|无|没有|なし)?\W*$/iu

/** The part of a text in which it would say that it is no summary; what is quoted further down is content. */
const OPENING_CHARACTERS = 300

/** Models do not count tokens; but what is far over would crowd out everything else. */
const MOST_OVER_BUDGET = 2

export function findSummaryProblem(
  text: string,
  tokens: { readonly summary: number; readonly source: number; readonly budget: number },
): SummaryProblem | null {
  if (text.trim() === '') return 'empty'
  const opening = text.trimStart().slice(0, OPENING_CHARACTERS)
  if (TOOL_CALL.test(opening)) return 'tool_call'
  if (ERROR_TEXT.test(opening)) return 'error_text'
  if (REFUSAL.test(opening)) return 'refusal'
  if (ASKS.test(opening)) return 'asks_for_conversation'
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.every(line => /^\s*#/.test(line) || PLACEHOLDER.test(line))) return 'empty_template'
  if (tokens.summary >= tokens.source) return 'longer_than_source'
  if (tokens.summary > tokens.budget * MOST_OVER_BUDGET) return 'over_budget'
  return null
}
