import { findTextProblem, isTooShort, ROOM_FOR_WORDS, type TextProblem } from '../summarizer/index.ts'

/** Why an answer cannot be stored as a summary. */
export type SummaryProblem = TextProblem | 'too_short' | 'longer_than_source' | 'over_budget'

/**
 * Models do not count tokens, so a little over the budget is allowed. A summary far over it would leave no
 * room for other text.
 */
export const MAX_OVER_BUDGET = 2

export function findSummaryProblem(
  text: string,
  tokens: { readonly summary: number; readonly source: number; readonly budget: number },
): SummaryProblem | null {
  const problem = findTextProblem(text)
  if (problem) return problem
  if (tokens.budget >= ROOM_FOR_WORDS && isTooShort(text, tokens.source)) return 'too_short'
  if (tokens.summary >= tokens.source) return 'longer_than_source'
  if (tokens.summary > tokens.budget * MAX_OVER_BUDGET) return 'over_budget'
  return null
}
