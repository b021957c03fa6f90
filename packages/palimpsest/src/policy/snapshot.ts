import { completeTurns, isToCome, type Size, secondsSince, type Totals } from '../log/index.ts'

/** How much of the log a stretch holds. Turns are complete ones. */
export interface Amount extends Size {
  readonly messages: number
  readonly turns: number
}

/** By the reason of a decision that moved nothing: the raw sizes then. A fold that moves something clears them. */
type Stalls = Readonly<Record<string, Omit<Amount, 'turns'>>>

/**
 * What a session remembers of its folds, beside its messages. Together with the newest message's
 * totals it gives a snapshot.
 *
 * It always holds that `head totals − folded` is what lies raw above the cursor. Rewriting history
 * (an edit, a rollback) adjusts `folded` rather than the rows, so it costs the same for any log.
 */
export interface FoldState {
  readonly compactedThrough: number
  readonly folded: Amount
  /** The counters of "since the last fold or decision". */
  readonly decided: { readonly messages: number; readonly replies: number; readonly at: number | null }
  readonly lastFoldAt: number | null
  readonly stalled: Stalls
  /** Tokens of the segments that stand in the context. */
  readonly segmentTokens: number
  /** Instructions, tools and output reserve, as last measured. */
  readonly overheadTokens: number
  /** After a failure, no automatic fold before this instant. */
  readonly backoffUntil: number | null
}

export const INITIAL_FOLD_STATE: FoldState = {
  compactedThrough: 0,
  folded: { messages: 0, turns: 0, characters: 0, tokens: 0 },
  decided: { messages: 0, replies: 0, at: null },
  lastFoldAt: null,
  stalled: {},
  segmentTokens: 0,
  overheadTokens: 0,
  backoffUntil: null,
}

/** Numbers only, taken once, so that the trigger and the cut use the same figures. */
export interface Snapshot {
  readonly raw: Amount
  /** Turns that have a raw message, the one in progress included. */
  readonly begunTurns: number
  /** Messages of the turn in progress, or of the last one: the least that a tail by turns keeps. */
  readonly lastTurnMessages: number
  /** Something may be folded: not all that is raw lies in the tail. */
  readonly hasBacklog: boolean
  /** How many messages may be folded; `null` where nothing in the policy asks for it. */
  readonly backlogMessages: number | null
  readonly messagesSinceDecision: number
  readonly repliesSinceDecision: number
  /** `null`: there was no earlier fold, so a cooldown is not running. */
  readonly secondsSinceFold: number | null
  readonly idleSeconds: number
  readonly backoffSeconds: number
  readonly stalled: Stalls
  /** What a call costs besides the raw messages: the segments, and `overheadTokens`. */
  readonly fixedTokens: number
  /** What no fold can change: instructions, tools and output reserve. */
  readonly overheadTokens: number
  /** A new beginning was made, and something before it is not folded yet. Left out: nothing is. */
  readonly chapterEnded?: true
}

/** The newest visible message: its totals, and when it reached the log. */
export interface Head {
  readonly seq: number
  readonly totals: Totals
  readonly appendedAt: number
}

/** A snapshot without what depends on the policy's tail. */
export type Figures = Omit<Snapshot, 'hasBacklog' | 'backlogMessages'>

/** The same cost for ten messages and for ten million: a subtraction. */
export function measure(head: Head, state: FoldState, now: number): Figures {
  const { totals } = head
  return {
    raw: {
      messages: totals.messages - state.folded.messages,
      turns: completeTurns(totals) - state.folded.turns,
      characters: totals.characters - state.folded.characters,
      tokens: totals.tokens - state.folded.tokens,
    },
    begunTurns: totals.turn - state.folded.turns,
    lastTurnMessages: totals.position,
    messagesSinceDecision: totals.messages - state.decided.messages,
    repliesSinceDecision: totals.replies - state.decided.replies,
    secondsSinceFold: secondsSinceFold(state, now),
    idleSeconds: secondsSince(head.appendedAt, now),
    backoffSeconds: isBackingOff(state, now) ? (state.backoffUntil! - now) / 1000 : 0,
    stalled: state.stalled,
    fixedTokens: state.overheadTokens + state.segmentTokens,
    overheadTokens: state.overheadTokens,
  }
}

/** No back-off after a failure lasts longer, whatever a provider asks for. */
export const MAX_BACKOFF_MS = 24 * 3_600_000

/** Whether nothing is to be tried yet, after a failure. */
export function isBackingOff({ backoffUntil }: Pick<FoldState, 'backoffUntil'>, now: number): boolean {
  return backoffUntil !== null && isToCome(backoffUntil, { now, longestMs: MAX_BACKOFF_MS })
}

/** A decision that moved nothing restarts the clock too; a time that cannot be read counts as no fold. */
function secondsSinceFold({ lastFoldAt, decided }: FoldState, now: number): number | null {
  if (lastFoldAt === null || !Number.isFinite(lastFoldAt)) return null
  const seconds = [lastFoldAt, decided.at ?? lastFoldAt].map(instant => secondsSince(instant, now))
  return Math.min(...seconds)
}
