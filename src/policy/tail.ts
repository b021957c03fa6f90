import type { Policy } from './policy.ts'
import type { RawMessage } from './raw-message.ts'
import type { Figures, Snapshot } from './snapshot.ts'

/**
 * How much of the newest is kept raw: as many messages as satisfy every limit that is given, and at
 * least one message or one turn. With no limit at all, everything is kept.
 */
export interface Tail {
  readonly messages?: number
  readonly turns?: number
  readonly characters?: number
  /** For the whole context: what the fixed parts leave of it is for the tail. */
  readonly contextTokens?: number
  readonly atLeast: 'message' | 'turn'
}

/** The number of raw messages that the tail keeps. Reads the newest messages only, as far as the tail reaches. */
export function countTail(tail: Tail, newestFirst: Iterable<RawMessage>, fixedTokens: number): number {
  const tokenLimit = tail.contextTokens === undefined ? undefined : tail.contextTokens - fixedTokens
  let count = 0
  let characters = 0
  let tokens = 0
  let lastTurn: number | undefined
  for (const message of newestFirst) {
    lastTurn ??= message.turn
    characters += message.characters
    tokens += message.tokens
    const owed = tail.atLeast === 'turn' ? message.turn === lastTurn : count === 0
    const fits =
      count < (tail.messages ?? Infinity) &&
      lastTurn - message.turn < (tail.turns ?? Infinity) &&
      characters <= (tail.characters ?? Infinity) &&
      tokens <= (tokenLimit ?? Infinity)
    if (!owed && !fits) break
    count += 1
  }
  return count
}

/** The tail of a composed policy is the largest of its parts. */
export function countLargestTail(
  tails: readonly Tail[],
  newestFirst: Iterable<RawMessage>,
  fixedTokens: number,
): number {
  return Math.max(0, ...tails.map(tail => countTail(tail, newestFirst, fixedTokens)))
}

/** From the figures alone: there is a backlog unless one of the tails keeps everything. */
function hasBacklog(tails: readonly Tail[], figures: Figures): boolean {
  return !tails.some(tail => fitsWhole(tail, figures))
}

function fitsWhole(tail: Tail, { raw, begunTurns, lastTurnMessages, fixedTokens }: Figures): boolean {
  const owed = tail.atLeast === 'turn' ? lastTurnMessages : 1
  if (owed >= raw.messages) return true
  return (
    raw.messages <= (tail.messages ?? Infinity) &&
    begunTurns <= (tail.turns ?? Infinity) &&
    raw.characters <= (tail.characters ?? Infinity) &&
    raw.tokens <= (tail.contextTokens ?? Infinity) - fixedTokens
  )
}

/** The size of a backlog that there is, where the tails are so many messages each; otherwise `null`. */
function backlogByMessages(tails: readonly Tail[], { raw }: Figures): number | null {
  const counts = tails.map(tail => (isByMessages(tail) ? Math.max(1, tail.messages) : null))
  return counts.includes(null) ? null : raw.messages - Math.max(0, ...(counts as number[]))
}

function isByMessages(tail: Tail): tail is Tail & { messages: number } {
  const { messages, turns, characters, contextTokens, atLeast } = tail
  return (
    messages !== undefined &&
    turns === undefined &&
    characters === undefined &&
    contextTokens === undefined &&
    atLeast === 'message'
  )
}

/** Whether the newest messages must be looked at: the size of the backlog is asked for, and the figures do not say. */
export function asksForTail(policy: Policy, figures: Figures): boolean {
  const isAsked = policy.judges.length > 0 || policy.rules.some(rule => rule.countsBacklog)
  return isAsked && hasBacklog(policy.tails, figures) && backlogByMessages(policy.tails, figures) === null
}

/** Completes the figures to a snapshot. `tailMessages` is needed only where `asksForTail` says so. */
export function takeSnapshot(policy: Policy, figures: Figures, tailMessages: number | null): Snapshot {
  if (!hasBacklog(policy.tails, figures)) return { ...figures, hasBacklog: false, backlogMessages: 0 }
  const counted = tailMessages === null ? null : figures.raw.messages - tailMessages
  return {
    ...figures,
    hasBacklog: true,
    backlogMessages: counted ?? backlogByMessages(policy.tails, figures),
  }
}
