import { InvalidArgumentError } from '../errors.ts'
import { optionsOf } from '../known-options.ts'
import { LAYERS, type LayerName } from '../store/index.ts'
import type { LayerBudgets } from './layers/index.ts'

/**
 * Tokens of each document. Over its budget, the oldest dated lines of a document are condensed. A persona is
 * never condensed, since its author decides about it.
 */
export const LAYER_BUDGETS: LayerBudgets = {
  persona: 2_000,
  global: 1_500,
  user: 800,
  scope: 1_000,
  chat: 1_200,
  daily: 500,
}

export const BUDGETS = optionsOf<LayerBudgets>({
  persona: true,
  global: true,
  user: true,
  scope: true,
  chat: true,
  daily: true,
})

const MIN_BUDGET = 100

export function layerBudgets(given: Partial<Record<LayerName, number>> = {}): LayerBudgets {
  for (const [layer, tokens] of Object.entries(given)) {
    if (!LAYERS.includes(layer as LayerName))
      throw new InvalidArgumentError('memory.budgets', layer, LAYERS.join(', '))
    if (tokens !== undefined && (!Number.isSafeInteger(tokens) || tokens < MIN_BUDGET))
      throw new InvalidArgumentError(
        `memory.budgets.${layer}`,
        tokens,
        `a whole number of at least ${MIN_BUDGET}`,
      )
  }
  return { ...LAYER_BUDGETS, ...given }
}
