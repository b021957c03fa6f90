import type { AgentInputItem } from '@openai/agents'
import { asItem, CALLS, RESULTS } from './item-format.ts'

/** By the type of a call, that of its result. */
const RESULT_OF: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(CALLS).map((call, index) => [call, Object.keys(RESULTS)[index]!]),
)

/**
 * Items without those that every provider refuses: a result whose call is not there, and a thought that leads to
 * nothing. A call without a result stays: the result may yet come, and the SDK's runner leaves it out by itself.
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

/** At the very end something may yet follow. */
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
