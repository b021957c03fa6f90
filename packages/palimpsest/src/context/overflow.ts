import { type ContextNeeds, ContextOverflowError } from '../errors.ts'
import type { FixedPart, View } from './view.ts'

/** A smaller room cannot hold a conversation. */
export const MIN_CONVERSATION_TOKENS = 100

/** The tokens of a plan that did not fit, as `estimateTokens` counts. */
export interface Needed {
  readonly fixed: FixedPart
  readonly summary: number
  readonly conversation: number
}

/** The error, in the caller's own tokens. Its parts add up to more than the budget that the caller gave. */
export function overflow(view: View, missed: readonly Needed[]): ContextOverflowError {
  const none: Needed = { fixed: view.fixed, summary: 0, conversation: MIN_CONVERSATION_TOKENS }
  const least = missed.reduce(
    (least, each) => (tokensOf(each) < tokensOf(least) ? each : least),
    missed[0] ?? none,
  )
  const { budget, outputReserve, rounding, ratio } = view.asked ?? {
    ...{ budget: view.budget, outputReserve: 0, rounding: 0, ratio: 1 },
  }
  const { instructions, tools, memory } = blocksOf(least.fixed)
  const ours: ContextNeeds = {
    ...{ instructions, tools, memory, changes: view.volatileReserve },
    ...{ summary: least.summary, conversation: least.conversation },
  }
  const told = Object.entries(ours).map(([part, tokens]) => [part, Math.ceil(tokens * ratio)])
  return new ContextOverflowError(budget, { ...Object.fromEntries(told), outputReserve, rounding })
}

function tokensOf({ fixed, summary, conversation }: Needed): number {
  return fixed.tokens + summary + conversation
}

function blocksOf({ blocks, tokens, toolTokens }: FixedPart) {
  const instructions = blocks.find(({ name }) => name === 'instructions')?.tokens ?? 0
  return { instructions, tools: toolTokens, memory: tokens - instructions - toolTokens }
}
