import { type ContextNeeds, ContextOverflowError } from '../errors.ts'
import type { FixedPart, View } from './view.ts'

/** Less room than this is no conversation. */
export const MIN_CONVERSATION_TOKENS = 100

/** What a plan would have taken that did not fit, in tokens as `estimateTokens` counts. */
export interface Needed {
  readonly fixed: FixedPart
  readonly summary: number
  readonly conversation: number
}

/** In the caller's own tokens: the parts add up to more than the budget as the caller gave it. */
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
