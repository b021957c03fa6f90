import { FALLBACK_LANGUAGE } from '../language/index.ts'
import type { SessionKind } from '../log/index.ts'
import { type ContextMessage, renderMessage } from './render-message.ts'
import { repairConversation } from './repair.ts'

/** More than any segment takes. The caller does not need the exact number above it. */
const ENOUGH_TOKENS = 8_000
const FIRST_MESSAGES = 64

/**
 * The tokens of messages in a context that shows them as they are, attributions and frames included. For very
 * many messages it is a lower bound.
 */
export function shownTokens(messages: readonly ContextMessage[], kind: SessionKind): number {
  for (let count = FIRST_MESSAGES; ; count *= 4) {
    const tokens = tokensShown(messages.slice(0, count), kind)
    if (count >= messages.length || tokens >= ENOUGH_TOKENS) return tokens
  }
}

function tokensShown(messages: readonly ContextMessage[], kind: SessionKind): number {
  const rules = { kind, reasoning: 'drop', clipTokens: ENOUGH_TOKENS, language: FALLBACK_LANGUAGE } as const
  const rendered = messages.map(message => renderMessage(message, rules))
  const { sent } = repairConversation(rendered, {
    stubBelowSeq: 0,
    hasMessageBefore: true,
    language: FALLBACK_LANGUAGE,
  })
  return sent.reduce((sum, { tokens }) => sum + tokens, 0)
}
