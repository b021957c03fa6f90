import { completeTurns, isToCome, type Size, secondsSince, type Totals } from '../log/index.ts'

/** How much a stretch of the log holds. Only complete turns are counted. */
export interface Amount extends Size {
  readonly messages: number
  readonly turns: number
}

/**
 * For each reason, the raw sizes when a decision with that reason moved nothing. A fold that moves something
 * clears them.
 */
type Stalls = Readonly<Record<string, Omit<Amount, 'turns'>>>

/**
 * What a session remembers of its folds, beside its messages. With the totals of the newest message it gives
 * a snapshot.
 *
 * `head totals − folded` is always what lies raw above the cursor. A change of history (an edit, a rollback)
 * adjusts `folded` and not the rows, so it costs the same for any log.
 */
export interface FoldState {
  readonly compactedThrough: number
  readonly folded: Amount
  /** Where the counters of "since the last fold or decision" begin. */
  readonly decided: { readonly messages: number; readonly replies: number; readonly at: number | null }
  readonly lastFoldAt: number | null
  readonly stalled: Stalls
  /** Tokens of the segments in the context. */
  readonly segmentTokens: number
  /** Instructions, tools and output reserve, as last measured. */
  readonly overheadTokens: number
  /** After a failure: no automatic fold before this instant. */
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
  /** Turns that have a raw message. The turn in progress counts. */
  readonly begunTurns: number
  /** Messages of the turn in progress, or of the last turn. A tail by turns keeps at least these. */
  readonly lastTurnMessages: number
  /** Something may be folded: not all raw messages lie in the tail. */
  readonly hasBacklog: boolean
  /** How many messages may be folded. `null`: nothing in the policy needs the number. */
  readonly backlogMessages: number | null
  readonly messagesSinceDecision: number
  readonly repliesSinceDecision: number
  /** `null`: there was no earlier fold, so no cooldown is running. */
  readonly secondsSinceFold: number | null
  readonly idleSeconds: number
  readonly backoffSeconds: number
  readonly stalled: Stalls
  /** The cost of a call besides the raw messages: the segments, and `overheadTokens`. */
  readonly fixedTokens: number
  /** The part that no fold can change: instructions, tools and output reserve. */
  readonly overheadTokens: number
  /** A new beginning was made, and messages before it are not folded yet. Left out: there are none. */
  readonly chapterEnded?: true
}

/** The newest visible message: its totals, and when it reached the log. */
export interface Head {
  readonly seq: number
  readonly totals: Totals
  readonly appendedAt: number
}

/** A snapshot without the parts that depend on the policy's tail. */
export type Figures = Omit<Snapshot, 'hasBacklog' | 'backlogMessages'>

/** A subtraction, so it costs the same for ten messages and for ten million. */
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

/** No back-off after a failure is longer, whatever a provider asks for. */
export const MAX_BACKOFF_MS = 24 * 3_600_000

/** Whether the session still waits after a failure. */
export function isBackingOff({ backoffUntil }: Pick<FoldState, 'backoffUntil'>, now: number): boolean {
  return backoffUntil !== null && isToCome(backoffUntil, { now, longestMs: MAX_BACKOFF_MS })
}

/** A decision that moved nothing restarts the time too. A time that cannot be read counts as no fold. */
function secondsSinceFold({ lastFoldAt, decided }: FoldState, now: number): number | null {
  if (lastFoldAt === null || !Number.isFinite(lastFoldAt)) return null
  const seconds = [lastFoldAt, decided.at ?? lastFoldAt].map(instant => secondsSince(instant, now))
  return Math.min(...seconds)
}
