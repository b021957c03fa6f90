import type { AgentInputItem } from '@openai/agents'
import { asItem, CALLS, RESULTS } from './item-format.ts'

/** For each type of call the type of its result. */
const RESULT_OF: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(CALLS).map((call, index) => [call, Object.keys(RESULTS)[index]!]),
)

/**
 * Leaves out the items that every provider refuses: a result without its call, and a thought that leads to
 * nothing. A call without a result stays: the result may still come, and the SDK's runner drops such a call
 * itself.
 */
export function validItems(items: readonly AgentInputItem[]): AgentInputItem[] {
  const open = new Set<string>()
  const paired = items.filter(item => {
    const { type, callId } = asItem(item)
    if (typeof callId !== 'string') return true
    const result = RESULT_OF[String(type)]
    if (result !== undefined) open.add(`${result} ${callId}`)
    return !Object.hasOwn(RESULTS, String(type)) || open.has(`${String(type)} ${callId}`)
  })
  return withoutLooseThoughts(paired)
}

/** A thought at the very end stays: something may still follow it. */
function withoutLooseThoughts(items: readonly AgentInputItem[]): AgentInputItem[] {
  let isLoose = false
  const kept = items.toReversed().filter(item => {
    const { type, role } = asItem(item)
    if (type === 'reasoning') return !isLoose
    isLoose = role === 'user' || role === 'system' || Object.hasOwn(RESULTS, String(type))
    return true
  })
  return kept.reverse()
}
