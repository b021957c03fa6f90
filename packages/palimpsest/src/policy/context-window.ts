import type { TurnPosition } from '../log/index.ts'
import { completeTurns } from '../log/index.ts'
import type { Policy } from './policy.ts'

/** The budget of a policy, and the share of it that a fold leaves. `null`: the policy has no budget. */
export function contextBudget(policy: Policy): { readonly tokens: number; readonly lowWater: number } | null {
  const rule = policy.rules.find(rule => rule.reason === 'max_tokens')
  if (rule?.extent.to !== 'context-tokens') return null
  return { tokens: rule.limit, lowWater: rule.extent.tail.contextTokens! / rule.limit }
}

/**
 * Where the raw messages would begin if this policy had folded the session from its first message: at a turn,
 * or this many messages from the end. `null`: the rules give no closed formula for it.
 */
export function rawBegins(
  policy: Policy,
  totals: TurnPosition & { readonly messages: number },
): { readonly turn: number } | { readonly messages: number } | null {
  const rule = policy.rules.find(({ reason }) => ['rounds', 'count', 'window'].includes(reason))
  if (rule === undefined) return null
  if (rule.extent.to === 'turns') {
    const { turns } = rule.extent
    const folds = Math.max(0, Math.floor((completeTurns(totals) - (rule.limit - turns)) / turns))
    return { turn: folds * turns + 1 }
  }
  const keep = Math.max(0, ...policy.tails.map(tail => tail.messages ?? 0))
  // `count` fires above its limit. `window` fires when its backlog has reached the limit.
  const step = rule.reason === 'count' ? rule.limit + 1 - keep : rule.limit
  const folds = Math.max(0, Math.floor((totals.messages - keep) / step))
  return { messages: Math.max(1, totals.messages - folds * step) }
}
