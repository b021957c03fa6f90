import type { Decision } from './decision.ts'
import { findCutPoint } from './find-cut-point.ts'
import type { Policy } from './policy.ts'
import type { RawMessage } from './raw-message.ts'
import type { Rule } from './rules.ts'
import type { Amount, FoldState, Head, Snapshot } from './snapshot.ts'
import { countLargestTail, countTail } from './tail.ts'

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
  /** Every raw message, oldest first. */
  readonly raw: readonly RawMessage[]
  /** The turn of the newest message is complete. */
  readonly lastTurnComplete: boolean
  readonly snapshot: Pick<Snapshot, 'fixedTokens' | 'hasBacklog'>
  /** What one fold takes in at most; a longer backlog is folded in several. Left out: no limit. */
  readonly mostTokens?: number
}

export function planFold(input: PlanInput): FoldPlan {
  const { decision, policy, raw } = input
  const wanted = Math.min(wantedMessages(input), messagesWithin(raw, input.mostTokens ?? Infinity))
  const cut = findCutPoint(raw, wanted, policy.boundary)
  return { decision, range: cut === 0 ? null : rangeOf(raw, cut, input.lastTurnComplete) }
}

/** How many of the oldest messages stay within so many tokens: at least one. */
function messagesWithin(raw: readonly RawMessage[], tokens: number): number {
  let sum = 0
  const end = raw.findIndex((message, index) => {
    sum += message.tokens
    return index > 0 && sum > tokens
  })
  return end === -1 ? raw.length : end
}

function wantedMessages(input: PlanInput): number {
  const extent = ruleOf(input)?.extent ?? { to: 'tail' }
  switch (extent.to) {
    case 'tail':
      return backlogMessages(input)
    case 'turns':
      return Math.min(oldestTurns(input.raw, extent.turns), backlogMessages(input))
    case 'context-tokens':
      return wantedForTokens(input, extent.tokens)
  }
}

function backlogMessages({ policy, raw, snapshot }: PlanInput): number {
  if (!snapshot.hasBacklog) return 0
  return raw.length - countLargestTail(policy.tails, raw.toReversed(), snapshot.fixedTokens)
}

function oldestTurns(raw: readonly RawMessage[], turns: number): number {
  const firstTurn = raw[0]?.turn ?? 0
  const end = raw.findIndex(message => message.turn >= firstTurn + turns)
  return end === -1 ? raw.length : end
}

/** Keeps the last turn whole if that brings the context under the limit; a turn larger than that is cut too. */
function wantedForTokens(input: PlanInput, contextTokens: number): number {
  const { raw, snapshot } = input
  const { fixedTokens } = snapshot
  const newestFirst = raw.toReversed()
  const limit = ruleOf(input)?.limit ?? contextTokens
  const wholeTurn = countTail({ contextTokens, atLeast: 'turn' }, newestFirst, fixedTokens)
  const tokens = newestFirst.slice(0, wholeTurn).reduce((sum, message) => sum + message.tokens, fixedTokens)
  const kept =
    tokens < limit ? wholeTurn : countTail({ contextTokens, atLeast: 'message' }, newestFirst, fixedTokens)
  return raw.length - kept
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
    return { ...state, decided, stalled, backoffUntil }
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
