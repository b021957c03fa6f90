import type { Role } from './message.ts'

export type SessionKind = 'private' | 'group' | 'agent'

/**
 * The place of a message in its turn. Each message stores it, so the next message needs only its predecessor,
 * and counting turns is a subtraction.
 *
 * A turn is one or more user messages and everything up to the next user message. Messages before the first
 * user message belong to turn 1. System messages neither answer nor begin a turn.
 */
export interface TurnPosition {
  /** 1, 2, 3 … */
  readonly turn: number
  /** This message's place in its turn: 1, 2, 3 … */
  readonly position: number
  /** The turn has a user message. Only turn 1 can be without one. */
  readonly asked: boolean
  /** A message other than a user message followed the user's, so the next user message begins a new turn. */
  readonly answered: boolean
  /** A reply without an open tool call is stored, or a group has talked long enough without a reply. */
  readonly complete: boolean
}

export interface TurnMessage {
  readonly role: Role
  readonly isReply: boolean
}

export interface TurnRules {
  readonly kind: SessionKind
  /** In a group, a turn is also complete after this many messages without a reply. */
  readonly groupTurnMessages: number
}

export const GROUP_TURN_MESSAGES = 12

export function nextTurnPosition(
  previous: TurnPosition | null,
  message: TurnMessage,
  rules: TurnRules,
): TurnPosition {
  const begins = previous === null || beginsTurn(previous, message, rules)
  const turn = begins ? (previous?.turn ?? 0) + 1 : previous.turn
  const position = begins ? 1 : previous.position + 1
  const asked = message.role === 'user' || (!begins && previous.asked)
  const answered =
    message.role === 'user' ? false : message.role === 'system' ? !begins && previous.answered : asked
  const replied =
    message.role === 'assistant'
      ? message.isReply
      : message.role === 'user'
        ? false
        : !begins && previous.complete
  const talkedLongEnough = rules.kind === 'group' && position >= rules.groupTurnMessages
  return { turn, position, asked, answered, complete: replied || talkedLongEnough }
}

function beginsTurn(previous: TurnPosition, message: TurnMessage, rules: TurnRules): boolean {
  if (message.role !== 'user' || !previous.asked) return false
  return previous.answered || (rules.kind === 'group' && previous.complete)
}

/** A turn before another one is over, even if it never got a reply. */
export function completeTurns({ turn, complete }: TurnPosition): number {
  return complete ? turn : turn - 1
}
