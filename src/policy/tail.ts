import type { RawMessage } from './raw-message.ts'
import type { Snapshot } from './snapshot.ts'

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

export function keepsAll(tail: Tail): boolean {
  return (
    tail.messages === undefined &&
    tail.turns === undefined &&
    tail.characters === undefined &&
    tail.contextTokens === undefined
  )
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

/**
 * The backlog from the figures of a snapshot alone, where they decide it: a tail of so many messages
 * keeps so many, and what fits a limit as a whole is all tail. `null`: the messages must be looked at.
 */
export function backlogFromFigures(
  tails: readonly Tail[],
  snapshot: Omit<Snapshot, 'backlogMessages'>,
): number | null {
  const counts = tails.map(tail => tailFromFigures(tail, snapshot))
  if (counts.some(count => count !== null && count >= snapshot.raw.messages)) return 0
  if (counts.includes(null)) return null
  return snapshot.raw.messages - Math.max(0, ...(counts as number[]))
}

function tailFromFigures(tail: Tail, snapshot: Omit<Snapshot, 'backlogMessages'>): number | null {
  const { raw, fixedTokens, lastTurnMessages } = snapshot
  const owed = tail.atLeast === 'turn' ? lastTurnMessages : 1
  if (owed >= raw.messages) return raw.messages
  const allFits =
    raw.characters <= (tail.characters ?? Infinity) &&
    raw.tokens <= (tail.contextTokens ?? Infinity) - fixedTokens &&
    // Complete turns, and the one in progress.
    raw.turns + 1 <= (tail.turns ?? Infinity)
  if (allFits) return Math.max(owed, Math.min(raw.messages, tail.messages ?? Infinity))
  return null
}
