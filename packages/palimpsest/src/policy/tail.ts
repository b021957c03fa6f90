import type { Size } from '../log/index.ts'
import type { Policy } from './policy.ts'
import type { RawMessage } from './raw-message.ts'
import type { Amount, Figures, Snapshot } from './snapshot.ts'

/**
 * How much of the newest is kept raw: as many messages as fit into every given limit, and at least one
 * message or one turn. Without any limit, everything is kept.
 */
export interface Tail {
  readonly messages?: number
  readonly turns?: number
  readonly characters?: number
  /** A limit for the whole context. The tail gets what the fixed parts leave of it. */
  readonly contextTokens?: number
  /**
   * The least that the tail gets if that is too little. It is at most half of what the fixed parts leave
   * below `dueTokens`.
   */
  readonly leastTokens?: number
  /** The figure at which the next fold is due. It must not be due at once. */
  readonly dueTokens?: number
  readonly atLeast: 'message' | 'turn'
}

/** The most tokens in the tail. */
export function tailTokens(
  { contextTokens, leastTokens = 0, dueTokens = Infinity }: Tail,
  fixedTokens: number,
): number {
  if (contextTokens === undefined) return Infinity
  const least = Math.min(leastTokens, Math.floor((dueTokens - fixedTokens) / 2))
  return Math.max(least, contextTokens - fixedTokens)
}

/** The newest raw messages, if only their total is known. */
export interface Unread extends Size {
  readonly messages: number
  /** The turn of the newest message of all, and the number of its messages. */
  readonly lastTurn: number
  readonly lastTurnMessages: number
}

/**
 * The number of raw messages that the tail keeps. It reads only the newest messages, as far as the tail
 * reaches. The messages in `unread` are newer still, and all of them are kept.
 */
function countTail(
  tail: Tail,
  newestFirst: Iterable<RawMessage>,
  fixedTokens: number,
  unread?: Unread,
): number {
  const tokenLimit = tailTokens(tail, fixedTokens)
  let count = unread?.messages ?? 0
  let characters = unread?.characters ?? 0
  let tokens = unread?.tokens ?? 0
  let lastTurn: number | undefined = unread?.lastTurn
  for (const message of newestFirst) {
    lastTurn ??= message.turn
    characters += message.characters
    tokens += message.tokens
    const owed = tail.atLeast === 'turn' ? message.turn === lastTurn : count === 0
    const fits =
      count < (tail.messages ?? Infinity) &&
      lastTurn - message.turn < (tail.turns ?? Infinity) &&
      characters <= (tail.characters ?? Infinity) &&
      tokens <= tokenLimit
    if (!owed && !fits) break
    count += 1
  }
  return count
}

/** The tail of a composed policy is the largest tail of its parts. */
export function countLargestTail(
  tails: readonly Tail[],
  newestFirst: Iterable<RawMessage>,
  fixedTokens: number,
): number {
  return Math.max(0, ...tails.map(tail => countTail(tail, newestFirst, fixedTokens)))
}

/**
 * How many of the oldest raw messages lie below the tail. The result is exact without reading the newest
 * messages. Their figures tell whether the tail keeps all of them. If it does not, it ends among them.
 */
export function countBelowTail(
  tail: Tail,
  raw: readonly RawMessage[],
  { fixedTokens, unread }: { fixedTokens: number; unread: Unread | undefined },
): number {
  const newest = raw.at(-1)
  if (unread === undefined || newest === undefined)
    return raw.length - countTail(tail, raw.toReversed(), fixedTokens)
  // If the unread messages and the turn of the newest message at hand do not fit, the tail begins among the
  // unread ones at the earliest. So all messages at hand lie below it.
  const begunTurns = unread.lastTurn - newest.turn + 1
  if (!fitsWhole(tail, { raw: unread, begunTurns, lastTurnMessages: unread.lastTurnMessages, fixedTokens }))
    return raw.length
  return raw.length + unread.messages - countTail(tail, raw.toReversed(), fixedTokens, unread)
}

/** Uses the figures alone: there is a backlog unless one of the tails keeps everything. */
function hasBacklog(tails: readonly Tail[], figures: Figures): boolean {
  return !tails.some(tail => fitsWhole(tail, figures))
}

type Whole = Pick<Figures, 'begunTurns' | 'lastTurnMessages' | 'fixedTokens'> & {
  readonly raw: Omit<Amount, 'turns'>
}

function fitsWhole(tail: Tail, { raw, begunTurns, lastTurnMessages, fixedTokens }: Whole): boolean {
  const owed = tail.atLeast === 'turn' ? lastTurnMessages : 1
  if (owed >= raw.messages) return true
  return (
    raw.messages <= (tail.messages ?? Infinity) &&
    begunTurns <= (tail.turns ?? Infinity) &&
    raw.characters <= (tail.characters ?? Infinity) &&
    raw.tokens <= tailTokens(tail, fixedTokens)
  )
}

/** The size of the backlog, if all tails are limits in messages. Otherwise `null`. */
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

/**
 * Whether the newest messages must be read: the policy needs the size of the backlog, and the figures do not
 * tell it.
 */
export function asksForTail(policy: Policy, figures: Figures): boolean {
  const isAsked = policy.judges.length > 0 || policy.rules.some(rule => rule.countsBacklog)
  return isAsked && hasBacklog(policy.tails, figures) && backlogByMessages(policy.tails, figures) === null
}

/** Completes the figures to a snapshot. `tailMessages` is needed only if `asksForTail` says so. */
export function takeSnapshot(policy: Policy, figures: Figures, tailMessages: number | null): Snapshot {
  if (!hasBacklog(policy.tails, figures)) return { ...figures, hasBacklog: false, backlogMessages: 0 }
  const counted = tailMessages === null ? null : figures.raw.messages - tailMessages
  return {
    ...figures,
    hasBacklog: true,
    backlogMessages: counted ?? backlogByMessages(policy.tails, figures),
  }
}
