import type { Decision } from './decision.ts'
import { findCutPoint } from './find-cut-point.ts'
import type { Policy } from './policy.ts'
import type { RawMessage } from './raw-message.ts'
import type { Extent } from './rules.ts'
import type { Amount, FoldState, Head } from './snapshot.ts'
import { countLargestTail, countTail, keepsAll } from './tail.ts'

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
  readonly fixedTokens: number
}

export function planFold(input: PlanInput): FoldPlan {
  const { decision, policy, raw } = input
  const cut = findCutPoint(raw, wantedMessages(input), policy.boundary)
  return { decision, range: cut === 0 ? null : rangeOf(raw, cut, input.lastTurnComplete) }
}

function wantedMessages(input: PlanInput): number {
  const { policy, decision, raw, fixedTokens } = input
  const extent = extentOf(policy, decision)
  switch (extent.to) {
    case 'tail': {
      if (policy.tails.some(keepsAll)) return 0
      return raw.length - countLargestTail(policy.tails, [...raw].reverse(), fixedTokens)
    }
    case 'turns': {
      const firstTurn = raw[0]?.turn ?? 0
      const end = raw.findIndex(message => message.turn >= firstTurn + extent.turns)
      return end === -1 ? raw.length : end
    }
    case 'context-tokens':
      return wantedForTokens(input, extent.tokens)
  }
}

/** Keeps the last turn whole if that brings the context under the limit; a turn larger than that is cut too. */
function wantedForTokens({ policy, decision, raw, fixedTokens }: PlanInput, contextTokens: number): number {
  const newestFirst = [...raw].reverse()
  const limit = policy.rules.find(rule => rule.reason === decision.reason)?.limit ?? contextTokens
  const wholeTurn = countTail({ contextTokens, atLeast: 'turn' }, newestFirst, fixedTokens)
  const tokens = newestFirst.slice(0, wholeTurn).reduce((sum, message) => sum + message.tokens, fixedTokens)
  const kept =
    tokens < limit ? wholeTurn : countTail({ contextTokens, atLeast: 'message' }, newestFirst, fixedTokens)
  return raw.length - kept
}

/** What a rule folds is the rule's own matter; a forced fold and a caller's own go to the tail. */
function extentOf(policy: Policy, decision: Decision): Extent {
  return policy.rules.find(rule => rule.reason === decision.reason)?.extent ?? { to: 'tail' }
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
  if (range === null) {
    const { folded } = state
    const stalled = {
      messages: messages - folded.messages,
      characters: characters - folded.characters,
      tokens: tokens - folded.tokens,
    }
    return { ...state, decided, stalled, backoffUntil: null }
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
    stalled: { messages: 0, characters: 0, tokens: 0 },
    segmentTokens,
    backoffUntil: null,
  }
}
