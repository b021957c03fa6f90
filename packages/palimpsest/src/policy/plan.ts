import type { Decision } from './decision.ts'
import { findCutPoint, hasOpenCall } from './find-cut-point.ts'
import type { Policy } from './policy.ts'
import type { RawMessage } from './raw-message.ts'
import type { Rule } from './rules.ts'
import type { Amount, FoldState, Head, Snapshot } from './snapshot.ts'
import { countBelowTail, type Tail, type Unread } from './tail.ts'

/**
 * A decision made concrete. The executor, `replay`, a dry run and the inspector all work from this.
 * `range` is `null` where all lies in the tail: such a fold only brings the memo up to date.
 */
export interface FoldPlan {
  readonly decision: Decision
  readonly range: FoldRange | null
}

export interface FoldRange {
  readonly fromSeq: number
  readonly toSeq: number
  /** What the range holds. */
  readonly amount: Omit<Amount, 'turns'>
  /** The last turn that lies wholly at or below `toSeq`. */
  readonly throughTurn: number
}

export interface PlanInput {
  readonly policy: Policy
  readonly decision: Decision
  /** The oldest raw messages, oldest first: all of them, or as far as they were read. */
  readonly raw: readonly RawMessage[]
  /** What the others hold, those that were not read. Left out: there are none. */
  readonly unread?: Unread | undefined
  /** The turn of the newest message is complete. */
  readonly lastTurnComplete: boolean
  readonly snapshot: Pick<Snapshot, 'fixedTokens' | 'hasBacklog'> & Partial<Pick<Snapshot, 'raw'>>
  /** What one fold takes in at most; a longer backlog is folded in several. Left out: no limit. */
  readonly mostTokens?: number
  readonly mostMessages?: number
}

export function planFold(input: PlanInput): FoldPlan {
  const { decision, policy, raw } = input
  const cut = findCutPoint(raw, wantedMessages(input), policy.boundary)
  return planOldest(decision, { raw, lastTurnComplete: input.lastTurnComplete }, cut)
}

/**
 * A plan for a chapter that has ended: all that is raw of it, whatever the policy keeps, as far as one fold reaches.
 * `isAll`: there is no more of it than `raw`.
 */
export function planChapter(
  input: Pick<PlanInput, 'decision' | 'raw' | 'mostTokens' | 'mostMessages'> & { readonly isAll: boolean },
): FoldPlan {
  const { decision, raw, isAll } = input
  const within = messagesWithin(input)
  // At its end nothing that is open will be answered.
  const cut = isAll && within === raw.length ? raw.length : findCutPoint(raw, within, 'message') || within
  return planOldest(decision, { raw, lastTurnComplete: true }, cut)
}

/** A plan for so many of the oldest raw messages, whatever any rule says. */
export function planOldest(
  decision: Decision,
  { raw, lastTurnComplete }: Pick<PlanInput, 'raw' | 'lastTurnComplete'>,
  count: number,
): FoldPlan {
  return { decision, range: count === 0 ? null : rangeOf(raw, count, lastTurnComplete) }
}

/**
 * A call that has no result among so many messages after it does not hold back the cut any longer, if
 * more of the log would have to be read to know.
 */
const LOOK_AHEAD_MESSAGES = 2_000

/** Whether a plan from the oldest raw messages is the one that all of them would have given. */
export function isPlanFinal(input: PlanInput, { range }: FoldPlan): boolean {
  const { raw, unread } = input
  if (unread === undefined || unread.messages === 0) return true
  const wanted = wantedMessages(input)
  if (wanted <= 0) return true
  if (range === null || wanted >= raw.length) return false
  const reach = Math.max(wanted, range.amount.messages)
  return raw.length - reach >= LOOK_AHEAD_MESSAGES || !hasOpenCall(raw, reach)
}

/** How many of the oldest messages stay within so many tokens: at least one. */
function messagesWithin({
  raw,
  mostTokens = Infinity,
  mostMessages = Infinity,
}: Pick<PlanInput, 'raw' | 'mostTokens' | 'mostMessages'>): number {
  let sum = 0
  const end = raw.findIndex((message, index) => {
    sum += message.tokens
    return index > 0 && (sum > mostTokens || index >= mostMessages)
  })
  return end === -1 ? raw.length : end
}

function wantedMessages(input: PlanInput): number {
  const extent = ruleOf(input)?.extent ?? { to: 'tail' }
  const within = messagesWithin(input)
  switch (extent.to) {
    case 'tail':
      return Math.min(within, backlogMessages(input, extent.tail))
    case 'turns':
      return Math.min(
        within,
        oldestTurns(input.raw, turnsToFold(input, extent.turns, within)),
        backlogMessages(input),
      )
    case 'context-tokens':
      return Math.min(within, wantedForTokens(input, extent.tail))
  }
}

function backlogMessages({ policy, raw, unread, snapshot }: PlanInput, own?: Tail): number {
  if (own === undefined && !snapshot.hasBacklog) return 0
  const tails = own === undefined ? policy.tails : [own]
  const { fixedTokens } = snapshot
  return Math.min(raw.length, ...tails.map(tail => countBelowTail(tail, raw, { fixedTokens, unread })))
}

/** So many folds behind, a rule by turns makes several of its steps at once. */
const CATCH_UP_FOLDS = 32

/** Where a rule folds so many turns at a time: a multiple of them, if it is far behind. */
function turnsToFold(input: PlanInput, turns: number, within: number): number {
  const { raw, snapshot } = input
  const limit = ruleOf(input)?.limit ?? Infinity
  const due = Math.floor(((snapshot.raw?.turns ?? 0) - limit) / turns) + 1
  if (due < CATCH_UP_FOLDS) return turns
  const next = raw[within]
  if (next === undefined) return turns * due
  const whole = Math.floor((next.turn - raw[0]!.turn) / turns)
  return turns * Math.max(1, Math.min(due, whole))
}

function oldestTurns(raw: readonly RawMessage[], turns: number): number {
  const firstTurn = raw[0]?.turn ?? 0
  const end = raw.findIndex(message => message.turn >= firstTurn + turns)
  return end === -1 ? raw.length : end
}

/**
 * Keeps the last turn whole if that brings the context below where the rule fires; a turn larger than that is cut
 * too, and of one that is still too large only what fits is kept.
 */
function wantedForTokens(input: PlanInput, tail: Tail): number {
  const { raw, unread, snapshot } = input
  const { fixedTokens } = snapshot
  const figures = { fixedTokens, unread }
  const { limit = Infinity, due = limit } = ruleOf(input) ?? {}
  const { leastTokens: _, ...least } = tail
  const tails: readonly Tail[] = [tail, { ...tail, atLeast: 'message' }, { ...least, atLeast: 'message' }]
  let wanted = 0
  for (const each of tails) {
    wanted = countBelowTail(each, raw, figures)
    // All that is at hand lies below even this tail.
    if (unread && wanted === raw.length) return wanted
    const left = raw
      .slice(wanted)
      .reduce((sum, message) => sum + message.tokens, fixedTokens + (unread?.tokens ?? 0))
    if (left < due) return wanted
  }
  return wanted
}

/**
 * What a rule folds is the rule's own matter; a forced fold and a caller's own go to the tail. In a
 * composed policy a rule may be there twice: then the limit tells which one it was.
 */
function ruleOf({ policy, decision }: PlanInput): Rule | undefined {
  const rules = policy.rules.filter(rule => rule.reason === decision.reason)
  return rules.find(rule => rule.limit === decision.meta['limit']) ?? rules[0]
}

function rangeOf(raw: readonly RawMessage[], cut: number, lastTurnComplete: boolean): FoldRange {
  const folded = raw.slice(0, cut)
  const last = folded.at(-1)!
  const next = raw[cut]
  const turnEnds = next ? next.turn !== last.turn : lastTurnComplete
  return {
    fromSeq: folded[0]!.seq,
    toSeq: last.seq,
    amount: {
      messages: folded.length,
      characters: folded.reduce((sum, message) => sum + message.characters, 0),
      tokens: folded.reduce((sum, message) => sum + message.tokens, 0),
    },
    throughTurn: turnEnds ? last.turn : last.turn - 1,
  }
}

/** The state after a fold, or after a decision that moved nothing. `head` is the one that was decided on. */
export function stateAfterFold(
  state: FoldState,
  plan: FoldPlan,
  { head, at, segmentTokens }: { head: Head; at: number; segmentTokens: number },
): FoldState {
  const { messages, replies, characters, tokens } = head.totals
  const decided = { messages, replies, at }
  const { range } = plan
  // What was folded without the summariser says nothing about whether it works again.
  const backoffUntil = plan.decision.meta['extractive'] === true ? state.backoffUntil : null
  if (range === null) {
    const { folded } = state
    const sizes = {
      messages: messages - folded.messages,
      characters: characters - folded.characters,
      tokens: tokens - folded.tokens,
    }
    const stalled = { ...state.stalled, [plan.decision.reason]: sizes }
    return { ...state, decided, stalled, segmentTokens, backoffUntil }
  }
  return {
    ...state,
    compactedThrough: range.toSeq,
    folded: {
      messages: state.folded.messages + range.amount.messages,
      turns: range.throughTurn,
      characters: state.folded.characters + range.amount.characters,
      tokens: state.folded.tokens + range.amount.tokens,
    },
    decided,
    lastFoldAt: at,
    stalled: {},
    segmentTokens,
    backoffUntil,
  }
}
