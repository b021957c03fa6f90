import { ERROR_CODES } from 'palimpsest/internals/errors'
import type { SummarizerFailure } from 'palimpsest/internals/summarizer/index'

/** The reasons for a fold. */
const DECIDED = [
  'count',
  'max_keep_messages_count',
  'max_messages_text_length',
  'max_tokens',
  'hard_limit',
  'rounds',
  'window',
  'every_n_turns',
  'cooldown',
  'idle',
  'force',
  'custom',
  'roll_up',
  'new_beginning',
]

/** The reasons against a fold, besides the failures of summarizers and the codes of errors. */
const NOT_DONE = ['already_folding', 'nothing_to_do', 'aborted', 'longer_than_source']

const FAILED: Readonly<Record<SummarizerFailure, true>> = {
  rate_limited: true,
  insufficient_quota: true,
  unavailable: true,
  unauthorized: true,
  model_not_found: true,
  request_refused: true,
  overflow: true,
  timeout: true,
  cut_off: true,
  content_filter: true,
  tool_call: true,
  empty: true,
  refusal: true,
  error_text: true,
  asks_for_conversation: true,
  empty_template: true,
  too_short: true,
  over_budget: true,
  no_summary: true,
  no_memo: true,
  no_facts: true,
  spend_guard: true,
  failed: true,
}

const REASONS = new Set([...DECIDED, ...NOT_DONE, ...Object.keys(FAILED), ...Object.keys(ERROR_CODES)])
const TYPES = new Set(['lite', 'deep'])

/**
 * A custom policy or summarizer may give any text as its reason, even an error's message. Such a reason
 * becomes `other`, since a label is always one of our own words.
 */
export function reasonLabel(reason: string): string {
  return REASONS.has(reason) ? reason : 'other'
}

export function typeLabel(type: string | null): string {
  if (type === null) return 'none'
  return TYPES.has(type) ? type : 'other'
}
