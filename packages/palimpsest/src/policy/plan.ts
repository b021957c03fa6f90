import type { Decision } from './decision.ts'
import { findCutPoint, hasOpenCall } from './find-cut-point.ts'
import type { Policy } from './policy.ts'
import type { RawMessage } from './raw-message.ts'
import type { Rule } from './rules.ts'
import type { Amount, FoldState, Head, Snapshot } from './snapshot.ts'
import { countBelowTail, type Tail, type Unread } from './tail.ts'

/**
 * A decision with its exact range. The executor, `replay`, a dry run and the inspector all use it. `range` is
 * `null` if all messages lie in the tail. Such a fold only brings the memo up to date.
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
  /** The oldest raw messages, oldest first: all of them, or the part that was read. */
  readonly raw: readonly RawMessage[]
  /** The sizes of the raw messages that were not read. Left out: there are none. */
  readonly unread?: Unread | undefined
  /** The turn of the newest message is complete. */
  readonly lastTurnComplete: boolean
  readonly snapshot: Pick<Snapshot, 'fixedTokens' | 'hasBacklog'> & Partial<Pick<Snapshot, 'raw'>>
  /** The most that one fold takes in. A longer backlog takes several folds. Left out: no limit. */
  readonly mostTokens?: number
  readonly mostMessages?: number
}

export function planFold(input: PlanInput): FoldPlan {
  const { decision, policy, raw } = input
  const cut = findCutPoint(raw, wantedMessages(input), policy.boundary)
  return planOldest(decision, { raw, lastTurnComplete: input.lastTurnComplete }, cut)
}

/**
 * The plan for a chapter that has ended: it folds all of its raw messages, whatever the policy keeps, as far
 * as one fold reaches. `isAll`: `raw` holds all of them.
 */
export function planChapter(
  input: Pick<PlanInput, 'decision' | 'raw' | 'mostTokens' | 'mostMessages'> & { readonly isAll: boolean },
): FoldPlan {
  const { decision, raw, isAll } = input
  const within = messagesWithin(input)
  // At the end of a chapter, an open call will never be answered, so it does not hold back the cut.
  const cut = isAll && within === raw.length ? raw.length : findCutPoint(raw, within, 'message') || within
  return planOldest(decision, { raw, lastTurnComplete: true }, cut)
}

/** The plan to fold `count` of the oldest raw messages, without regard to any rule. */
export function planOldest(
  decision: Decision,
  { raw, lastTurnComplete }: Pick<PlanInput, 'raw' | 'lastTurnComplete'>,
  count: number,
): FoldPlan {
  return { decision, range: count === 0 ? null : rangeOf(raw, count, lastTurnComplete) }
}

/**
 * If a call has no result within this many messages, it no longer holds back the cut. Otherwise more of the
 * log would have to be read.
 */
const LOOK_AHEAD_MESSAGES = 2_000

/** Whether a plan from some of the oldest raw messages equals the plan from all of them. */
export function isPlanFinal(input: PlanInput, { range }: FoldPlan): boolean {
  const { raw, unread } = input
  if (unread === undefined || unread.messages === 0) return true
  const wanted = wantedMessages(input)
  if (wanted <= 0) return true
  if (range === null || wanted >= raw.length) return false
  const reach = Math.max(wanted, range.amount.messages)
  return raw.length - reach >= LOOK_AHEAD_MESSAGES || !hasOpenCall(raw, reach)
}

/** How many of the oldest messages fit into the limits: at least one. */
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

/** A rule by turns that is this many folds behind makes several of its steps at once. */
const CATCH_UP_FOLDS = 32

/**
 * The number of turns to fold, for a rule that folds a fixed number at a time. If the rule is far behind, it
 * is a multiple of that number.
 */
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
 * Keeps the last turn whole if that brings the context below the point where the rule fires. A larger turn is
 * cut. If the rest of it is still too large, only what fits is kept.
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
    // Everything at hand lies below even this tail.
    if (unread && wanted === raw.length) return wanted
    const left = raw
      .slice(wanted)
      .reduce((sum, message) => sum + message.tokens, fixedTokens + (unread?.tokens ?? 0))
    if (left < due) return wanted
  }
  return wanted
}

/**
 * A rule itself decides what it folds. A forced fold and a fold of the caller's own policy go to the tail. A
 * composed policy may hold a rule twice; then the limit tells which of them fired.
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

/**
 * The state after a fold, or after a decision that moved nothing. `head` is the one that the decision was
 * made for.
 */
export function stateAfterFold(
  state: FoldState,
  plan: FoldPlan,
  { head, at, segmentTokens }: { head: Head; at: number; segmentTokens: number },
): FoldState {
  const { messages, replies, characters, tokens } = head.totals
  const decided = { messages, replies, at }
  const { range } = plan
  // A fold without the summariser does not tell whether the summariser works again.
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
