import { policyOf, type Resolved } from 'palimpsest/internals/config/index'
import type { ContextOptions } from 'palimpsest/internals/contexts'
import { ContextOverflowError } from 'palimpsest/internals/errors'
import { contextBudget } from 'palimpsest/internals/policy/index'
import type { Session } from 'palimpsest/internals/session'
import { estimateTokens } from 'palimpsest/internals/tokens/index'

/** The least that the conversation needs, beside instructions, tools and reserve. */
const MIN_ROOM_TOKENS = 100

/**
 * Refuses a call whose instructions and tools leave no room for the conversation.
 * It does so before anything is stored.
 */
export async function checkRoom(
  session: Session,
  { options, resolved }: { readonly options: ContextOptions; readonly resolved: Resolved },
): Promise<void> {
  if ((await session.count()) > 0) {
    await session.context({ ...options, notes: false })
    return
  }
  const budget = options.budget ?? contextBudget(policyOf(resolved))?.tokens
  if (budget === undefined) return
  const { instructions = '', tools, outputReserve = 0 } = options
  const needs = {
    instructions: estimateTokens(instructions),
    tools: tools === undefined ? 0 : estimateTokens(JSON.stringify(tools)),
    outputReserve,
    conversation: MIN_ROOM_TOKENS,
  }
  if (needs.instructions + needs.tools + outputReserve + MIN_ROOM_TOKENS > budget)
    throw new ContextOverflowError(budget, needs)
}
