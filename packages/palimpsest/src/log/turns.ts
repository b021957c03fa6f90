import type { Role } from './message.ts'

export type SessionKind = 'private' | 'group' | 'agent'

/**
 * Where a message stands in its turn. Each message stores it, so that the next one needs only its
 * predecessor, and counting turns is a subtraction.
 *
 * A turn is one or more user messages and everything up to the next user message. Messages before the
 * first user message belong to turn 1. System messages neither answer nor begin a turn.
 */
export interface TurnPosition {
  /** 1, 2, 3 … */
  readonly turn: number
  /** This message's place in its turn: 1, 2, 3 … */
  readonly position: number
  /** The turn has a user message; only turn 1 can be without. */
  readonly asked: boolean
  /** Something other than a user message followed the user's: the next user message begins a new turn. */
  readonly answered: boolean
  /** A reply with no open tool call is stored, or a group has talked long enough without one. */
  readonly complete: boolean
}

export interface TurnMessage {
  readonly role: Role
  readonly isReply: boolean
}

export interface TurnRules {
  readonly kind: SessionKind
  /** In a group a turn is also complete after this many messages without a reply. */
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

/** A turn that a later one followed is over, whether or not its reply ever came. */
export function completeTurns({ turn, complete }: TurnPosition): number {
  return complete ? turn : turn - 1
}
