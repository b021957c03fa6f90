import { InvalidDecisionError } from '../errors.ts'

export const BUILT_IN_TYPES = ['lite', 'deep'] as const

/** What to do with a session, and why. The type names the handler that does it. */
export interface Decision {
  readonly type: string
  readonly reason: string
  readonly severity: number
  readonly meta: Readonly<Record<string, unknown>>
}

/**
 * Reads the answer of the caller's own policy. It may be only the name of a type. Any invalid answer is
 * refused, with its value in the error.
 */
export function readDecision(returned: unknown, types: readonly string[]): Decision | null {
  if (returned === null || returned === undefined) return null
  if (typeof returned === 'string')
    return withHandler({ type: returned, reason: 'custom', severity: 0, meta: {} }, types)
  const { type, reason = 'custom', severity = 0, meta = {} } = returned as Partial<Decision>
  const isDecision =
    typeof returned === 'object' &&
    typeof type === 'string' &&
    typeof reason === 'string' &&
    typeof severity === 'number' &&
    Number.isFinite(severity) &&
    typeof meta === 'object' &&
    meta !== null
  if (!isDecision)
    throw new InvalidDecisionError(returned, "null, a type's name, or { type, reason, severity, meta }")
  return withHandler({ type, reason, severity, meta }, types)
}

export function withHandler(decision: Decision, types: readonly string[]): Decision {
  if (types.includes(decision.type)) return decision
  throw new InvalidDecisionError(decision.type, `a type that has a handler: ${types.join(', ')}`)
}
