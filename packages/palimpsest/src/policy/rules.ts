import type { Decision } from './decision.ts'
import type { Snapshot } from './snapshot.ts'
import { type Tail, tailTokens } from './tail.ts'

/** How far a fold reaches. */
export type Extent =
  /** The policy's tail, or the rule's own. */
  | { readonly to: 'tail'; readonly tail?: Tail }
  /** Exactly the oldest complete turns. */
  | { readonly to: 'turns'; readonly turns: number }
  /** Down to a mark for the whole context. If necessary, the fold reaches into the last turn. */
  | { readonly to: 'context-tokens'; readonly tail: Tail }

/** A rule is a function of a snapshot. It knows no store and no clock. */
export interface Rule {
  readonly name: string
  readonly reason: string
  readonly type: 'lite' | 'deep'
  readonly severity: number
  readonly extent: Extent
  /** The figure that is compared with `limit`. */
  readonly figure: (snapshot: Snapshot) => number
  readonly limit: number
  /** The figure from which the rule fires, if that is below the limit. */
  readonly due?: number
  readonly fires: (snapshot: Snapshot) => boolean
  /** Whether `fires` needs the size of the backlog. That may cost a read of the newest messages. */
  readonly countsBacklog?: boolean
  /** The rule does not fire for a smaller backlog. */
  readonly leastBacklogTokens?: number
  /** During a back-off the rule still fires, but folds without a model. */
  readonly extractiveInBackoff?: boolean
  /** For a rule about time: in how many seconds it fires if nothing else happens. `null`: never. */
  readonly secondsUntil?: (snapshot: Snapshot) => number | null
}

const TO_TAIL: Extent = { to: 'tail' }

/** If its decision moved nothing, a rule about size waits until there is a quarter more. */
const MORE_AFTER_STALL = 1.25

function hasGrown(snapshot: Snapshot, reason: string, field: 'messages' | 'characters' | 'tokens'): boolean {
  const stalledAt = snapshot.stalled[reason]
  return stalledAt === undefined || snapshot.raw[field] >= stalledAt[field] * MORE_AFTER_STALL
}

/** Shares of a budget, as measured in docs/decisions/0010. */
const HEADROOM_SHARE = 1 / 16
const MIN_RAW_SHARE = 1 / 8
const IDLE_SHARE = 1 / 4
const MIN_IDLE_RAW_SHARE = 1 / 16
const MIN_IDLE_BACKLOG_SHARE = 1 / 8

/** What a fold down to a share of the budget keeps: at least a turn, and enough to be a conversation. */
export function tailWithin(budget: number, share: number, leastRawShare = MIN_RAW_SHARE): Tail {
  return {
    contextTokens: Math.floor(budget * share),
    leastTokens: Math.floor(budget * leastRawShare),
    dueTokens: dueTokens(budget),
    atLeast: 'turn',
  }
}

function dueTokens(budget: number): number {
  return Math.ceil(budget * (1 - HEADROOM_SHARE))
}

/**
 * `limit` is for the whole context, with instructions, tools and output reserve. The rule fires a little
 * earlier, because a fold takes longer than a request for a reply. What does not fit meanwhile would have to
 * be cut, and that breaks the prefix once more.
 */
export function maxTokens(limit: number, lowWater: number): Rule {
  const figure = ({ fixedTokens, raw }: Snapshot) => fixedTokens + raw.tokens
  const due = dueTokens(limit)
  return {
    name: 'maxTokens',
    reason: 'max_tokens',
    type: 'deep',
    severity: 100,
    extent: { to: 'context-tokens', tail: tailWithin(limit, lowWater) },
    figure,
    limit,
    due,
    // If the overhead alone is over the limit, no fold can help.
    fires: snapshot =>
      figure(snapshot) >= due &&
      snapshot.overheadTokens < limit &&
      hasGrown(snapshot, 'max_tokens', 'tokens'),
    extractiveInBackoff: true,
  }
}

export function maxMessagesTextLength(limit: number): Rule {
  const figure = ({ raw }: Snapshot) => raw.characters
  return {
    name: 'maxMessagesTextLength',
    reason: 'max_messages_text_length',
    type: 'deep',
    severity: 100,
    extent: TO_TAIL,
    figure,
    limit,
    fires: snapshot =>
      figure(snapshot) >= limit && hasGrown(snapshot, 'max_messages_text_length', 'characters'),
  }
}

export function hardLimit(limit: number): Rule {
  const figure = ({ backlogMessages }: Snapshot) => backlogMessages ?? 0
  return {
    name: 'hardLimit',
    countsBacklog: true,
    reason: 'hard_limit',
    type: 'lite',
    severity: 80,
    extent: TO_TAIL,
    figure,
    limit,
    fires: snapshot => figure(snapshot) >= limit && hasGrown(snapshot, 'hard_limit', 'messages'),
    extractiveInBackoff: true,
  }
}

export function maxKeepMessagesCount(limit: number): Rule {
  return messageCountRule('maxKeepMessagesCount', 'max_keep_messages_count', limit)
}

export function count(threshold: number): Rule {
  return messageCountRule('count', 'count', threshold)
}

function messageCountRule(name: string, reason: string, limit: number): Rule {
  const figure = ({ raw }: Snapshot) => raw.messages
  return {
    name,
    reason,
    type: 'lite',
    severity: 50,
    extent: TO_TAIL,
    figure,
    limit,
    fires: snapshot => figure(snapshot) > limit && hasGrown(snapshot, reason, 'messages'),
  }
}

export function rounds(fullContextTurns: number, cachedContextTurns: number): Rule {
  const limit = fullContextTurns + cachedContextTurns
  const figure = ({ raw }: Snapshot) => raw.turns
  return {
    name: 'rounds',
    reason: 'rounds',
    type: 'lite',
    severity: 40,
    extent: { to: 'turns', turns: cachedContextTurns },
    figure,
    limit,
    fires: snapshot => figure(snapshot) >= limit && hasGrown(snapshot, 'rounds', 'messages'),
  }
}

export function window(size: number): Rule {
  const figure = ({ backlogMessages }: Snapshot) => backlogMessages ?? 0
  return {
    name: 'window',
    countsBacklog: true,
    reason: 'window',
    type: 'lite',
    severity: 30,
    extent: TO_TAIL,
    figure,
    limit: size,
    fires: snapshot => figure(snapshot) >= size && hasGrown(snapshot, 'window', 'messages'),
  }
}

/** Without new content since the last fold or decision, a rule about time is not tried again. */
function mayMove({ hasBacklog, messagesSinceDecision }: Snapshot): boolean {
  return hasBacklog && messagesSinceDecision > 0
}

/** What counts as a turn: every message, or every reply. */
export type TurnUnit = 'message' | 'reply'

export function everyNTurns(turns: number, unit: TurnUnit): Rule {
  const figure = (snapshot: Snapshot) =>
    unit === 'message' ? snapshot.messagesSinceDecision : snapshot.repliesSinceDecision
  return {
    name: 'everyNTurns',
    reason: 'every_n_turns',
    type: 'lite',
    severity: 10,
    extent: TO_TAIL,
    figure,
    limit: turns,
    fires: snapshot => figure(snapshot) >= turns,
  }
}

export function cooldown(seconds: number): Rule {
  const figure = ({ secondsSinceFold }: Snapshot) => secondsSinceFold ?? 0
  return {
    name: 'cooldown',
    reason: 'cooldown',
    type: 'lite',
    severity: 5,
    extent: TO_TAIL,
    figure,
    limit: seconds,
    fires: snapshot =>
      mayMove(snapshot) && snapshot.secondsSinceFold !== null && snapshot.secondsSinceFold >= seconds,
    secondsUntil: snapshot =>
      mayMove(snapshot) && snapshot.secondsSinceFold !== null
        ? Math.max(0, seconds - snapshot.secondsSinceFold)
        : null,
  }
}

/**
 * `seconds`: how long the provider's prompt cache lives. Once it is dead, a fold breaks no cache, and the
 * next request pays in full for all that is left. So the fold keeps little, but it is not done for a small
 * backlog.
 */
export function idle(seconds: number, budget: number): Rule {
  const figure = ({ idleSeconds }: Snapshot) => idleSeconds
  const tail = tailWithin(budget, IDLE_SHARE, MIN_IDLE_RAW_SHARE)
  const leastBacklog = Math.floor(budget * MIN_IDLE_BACKLOG_SHARE)
  const isWorthwhile = (snapshot: Snapshot) =>
    snapshot.messagesSinceDecision > 0 &&
    snapshot.raw.messages > snapshot.lastTurnMessages &&
    snapshot.raw.tokens - tailTokens(tail, snapshot.fixedTokens) >= leastBacklog
  return {
    name: 'idle',
    reason: 'idle',
    type: 'lite',
    severity: 5,
    extent: { to: 'tail', tail },
    figure,
    limit: seconds,
    leastBacklogTokens: leastBacklog,
    fires: snapshot => isWorthwhile(snapshot) && figure(snapshot) >= seconds,
    secondsUntil: snapshot => (isWorthwhile(snapshot) ? Math.max(0, seconds - figure(snapshot)) : null),
  }
}

/**
 * The rule as a part of several policies: it keeps what each of them keeps, even if it would keep less by
 * itself.
 */
export function withinCommonTail(rule: Rule): Rule {
  if (rule.extent.to !== 'tail' || rule.extent.tail === undefined) return rule
  return {
    ...rule,
    extent: TO_TAIL,
    countsBacklog: true,
    fires: snapshot => isWorth(rule, snapshot) && rule.fires(snapshot),
    secondsUntil: snapshot => (isWorth(rule, snapshot) ? (rule.secondsUntil?.(snapshot) ?? null) : null),
  }
}

/** The backlog is known in messages, so its tokens are estimated from the average size. */
function isWorth({ leastBacklogTokens = 0 }: Rule, { hasBacklog, backlogMessages, raw }: Snapshot): boolean {
  return hasBacklog && ((backlogMessages ?? 0) * raw.tokens) / raw.messages >= leastBacklogTokens
}

/** Among equal severities, the first in this order wins. */
const ORDER = [
  'max_tokens',
  'max_messages_text_length',
  'hard_limit',
  'max_keep_messages_count',
  'count',
  'rounds',
  'window',
  'every_n_turns',
  'cooldown',
  'idle',
]

export function byPrecedence(a: Rule, b: Rule): number {
  return b.severity - a.severity || ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason)
}

export function decisionOf(rule: Rule, snapshot: Snapshot): Decision {
  const { type, reason, severity, limit, due } = rule
  const extractive = snapshot.backoffSeconds > 0
  return {
    type,
    reason,
    severity,
    meta: {
      rule: rule.name,
      figure: rule.figure(snapshot),
      limit,
      ...(due !== undefined && { due }),
      ...(extractive && { extractive }),
    },
  }
}
