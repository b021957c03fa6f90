import { InvalidArgumentError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import { type Decision, readDecision, withHandler } from './decision.ts'
import { byPrecedence, decisionOf, type Rule, withinCommonTail } from './rules.ts'
import type { Snapshot } from './snapshot.ts'
import type { Tail } from './tail.ts'

/** Where a cut may fall: between any two messages that share no group, or only between turns. */
export type Boundary = 'message' | 'turn'

export type CustomJudge = (snapshot: Snapshot) => unknown | Promise<unknown>

/**
 * An ordered set of rules, with the tail that they leave. Plain data, apart from the functions of its rules.
 */
export interface Policy {
  readonly name: string
  /** Highest precedence first. */
  readonly rules: readonly Rule[]
  /** The largest of them is used. */
  readonly tails: readonly Tail[]
  readonly boundary: Boundary
  /** When user and scope memory is extracted. */
  readonly extract: 'turn' | 'batch'
  /** The most raw messages in a context. Older ones are covered provisionally. */
  readonly contextMessages: number | null
  /** A source with fewer tokens is kept word for word until more has come. Left out: the default. */
  readonly verbatimBelowTokens?: number
  /** The caller's own functions. They are asked after each append, and never inside a transaction. */
  readonly judges: readonly CustomJudge[]
  /** Settings that are odd, though allowed. */
  readonly warnings: readonly string[]
  /** Returns the policy with a session's own settings. Left out: such settings change nothing. */
  readonly forSession?: (settings: Readonly<Record<string, unknown>>) => Policy
}

/** The policy of a session that has these own settings. */
export function policyFor(settings: Readonly<Record<string, unknown>>, policy: Policy): Policy {
  if (policy.forSession === undefined || Object.keys(settings).length === 0) return policy
  return policy.forSession(settings)
}

/** `true` means deep; a name means the type of that name. */
export type Force = true | string

/** The decision of the built-in rules. It is pure, so the append can make it inside its transaction. */
export function judge(policy: Policy, snapshot: Snapshot): Decision | null {
  if (snapshot.chapterEnded && snapshot.backoffSeconds === 0) return NEW_BEGINNING
  const rule = policy.rules.find(rule => mayFire(rule, snapshot) && rule.fires(snapshot))
  return rule ? decisionOf(rule, snapshot) : null
}

/**
 * Part of every policy: when contexts no longer show something, segments tell it, whatever a rule says about
 * a tail.
 */
const NEW_BEGINNING: Decision = {
  type: 'lite',
  reason: 'new_beginning',
  severity: 60,
  meta: { rule: 'newBeginning' },
}

function mayFire(rule: Rule, snapshot: Snapshot): boolean {
  return snapshot.backoffSeconds === 0 || rule.extractiveInBackoff === true
}

/** A forced fold ignores the back-off and all rules. */
export function forcedDecision(force: Force, types: readonly string[]): Decision {
  const type = force === true ? 'deep' : force
  return withHandler({ type, reason: 'force', severity: 1000, meta: {} }, types)
}

/**
 * The built-in rules and the caller's own together. The highest severity wins. Among equals the built-in
 * rules win.
 */
export async function judgeAll(
  policy: Policy,
  snapshot: Snapshot,
  types: readonly string[],
): Promise<Decision | null> {
  let best = judge(policy, snapshot)
  if (snapshot.backoffSeconds > 0) return best
  for (const custom of policy.judges) {
    const decision = readDecision(await custom(snapshot), types)
    if (decision && (best === null || decision.severity > best.severity)) best = decision
  }
  return best
}

/**
 * In how many seconds there will be something to do if the session stays silent: a rule about time fires, or
 * a back-off ends that holds a rule back. `null`: nothing.
 */
export function secondsUntilDue(policy: Policy, snapshot: Snapshot): number | null {
  const waits = policy.rules
    .map(rule => rule.secondsUntil?.(snapshot) ?? null)
    .filter(seconds => seconds !== null)
  const isHeldBack = snapshot.backoffSeconds > 0 && judge(policy, { ...snapshot, backoffSeconds: 0 }) !== null
  if (isHeldBack) waits.push(snapshot.backoffSeconds)
  return waits.length === 0 ? null : Math.max(snapshot.backoffSeconds, Math.min(...waits))
}

/** A session is judged again after at most this time. So a due time further away comes from a wrong clock. */
export const MAX_DUE_MS = 24 * 3_600_000

export interface Verdict {
  readonly snapshot: Snapshot
  readonly decision: Decision | null
  /** When to judge again, if nothing happens. */
  readonly dueAt: number | null
}

export function verdictAt(now: number, policy: Policy, snapshot: Snapshot): Verdict {
  const seconds = secondsUntilDue(policy, snapshot)
  return {
    snapshot,
    decision: judge(policy, snapshot),
    dueAt: seconds === null ? null : now + Math.min(MAX_DUE_MS, Math.ceil(seconds * 1000)),
  }
}

/** Several policies as one: all their rules, the largest of their tails, and the stricter boundary. */
export function compose(...policies: readonly Policy[]): Policy {
  if (policies.length === 0)
    throw new InvalidArgumentError('policies', policies.length, 'at least one policy')
  const limits = policies.map(policy => policy.contextMessages).filter(limit => limit !== null)
  return {
    name: policies.map(policy => policy.name).join('+'),
    rules: policies
      .flatMap(policy => policy.rules)
      .map(rule => (policies.length === 1 ? rule : withinCommonTail(rule)))
      .sort(byPrecedence),
    tails: policies.flatMap(policy => policy.tails),
    boundary: policies.some(policy => policy.boundary === 'turn') ? 'turn' : 'message',
    extract: policies.some(policy => policy.extract === 'turn') ? 'turn' : 'batch',
    contextMessages: limits.length === 0 ? null : Math.min(...limits),
    judges: policies.flatMap(policy => policy.judges),
    warnings: policies.flatMap(policy => policy.warnings),
  }
}

interface CustomOptions {
  readonly tail?: Tail
  readonly boundary?: Boundary
}

const CUSTOM = optionsOf<CustomOptions>({ tail: true, boundary: true })
const TAIL = optionsOf<Tail>({
  messages: true,
  turns: true,
  characters: true,
  contextTokens: true,
  leastTokens: true,
  dueTokens: true,
  atLeast: true,
})

/** A policy of the caller's own, with the tail that it leaves. Default: the last turn. */
export function custom(judge: CustomJudge, options: CustomOptions = {}): Policy {
  checkOptions('custom', options, CUSTOM)
  checkOptions('custom: tail', options.tail, TAIL)
  if (typeof judge !== 'function') throw new InvalidArgumentError('judge', judge, 'a function of a snapshot')
  return {
    name: 'custom',
    rules: [],
    tails: [options.tail ?? { turns: 1, atLeast: 'turn' }],
    boundary: options.boundary ?? 'message',
    extract: 'batch',
    contextMessages: null,
    judges: [judge],
    warnings: [],
  }
}
