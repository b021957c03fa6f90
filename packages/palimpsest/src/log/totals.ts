import { contentLinks, isReply } from './links.ts'
import type { Content, Role } from './message.ts'
import { nextTurnPosition, type TurnPosition, type TurnRules } from './turns.ts'

/** How much a message adds to what the model reads. */
export interface Size {
  readonly characters: number
  readonly tokens: number
}

/**
 * The running totals that each message stores: of everything up to and including it. So the amount between
 * two messages is the difference of two rows, however long the log is.
 */
export interface Totals extends Size, TurnPosition {
  /** Visible messages. After a rollback there are fewer than `seq`. */
  readonly messages: number
  readonly replies: number
}

export function nextTotals(
  previous: Totals | null,
  message: { role: Role; content: Content },
  size: Size,
  rules: TurnRules,
): Totals {
  const reply = isReply(message.role, contentLinks(message.content))
  return {
    messages: (previous?.messages ?? 0) + 1,
    replies: (previous?.replies ?? 0) + (reply ? 1 : 0),
    characters: (previous?.characters ?? 0) + size.characters,
    tokens: (previous?.tokens ?? 0) + size.tokens,
    ...nextTurnPosition(previous, { role: message.role, isReply: reply }, rules),
  }
}
