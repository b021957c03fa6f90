import { estimateTokens } from '../tokens/index.ts'
import type { BlockName } from './context.ts'
import { shortHash } from './create-hash.ts'
import type { ContextSegment } from './session-memory.ts'

/** A memory document or a similar text. It stands in the instructions, in the order of the blocks. */
export interface Layer {
  readonly name: BlockName
  readonly text: string
  /** Some of the text is left out because there is no room. The text itself says so. */
  readonly isClipped?: boolean
}

/** Everything that decides how a context looks, except the session itself. */
export interface View {
  /** For the whole context without the room for the reply, in tokens as `estimateTokens` counts. */
  readonly budget: number
  /**
   * When not everything fits, only this share of the room is filled. The rest stays free, so that the prefix
   * holds for a while.
   */
  readonly lowWater: number
  /** The fixed part with all that memory may take: this room is set aside before segments are chosen. */
  readonly fixed: FixedPart
  /**
   * The fixed part beside the chosen segments, since memory leaves out what they tell. Left out: it is
   * `fixed`.
   */
  readonly fixedBeside?: (shown: readonly ContextSegment[]) => FixedPart
  readonly reasoning: 'drop' | 'keep'
  /** The most raw messages that are shown; `null`: any number. */
  readonly mostMessages: number | null
  /** Where the context would begin if another policy had folded the session; `null`: at the cursor. */
  readonly from: { readonly turn: number } | { readonly messages: number } | null
  /**
   * There is more room than the folds were made for: the newest folded messages are shown as they were said.
   */
  readonly unfolds: boolean
  /**
   * Room that stays free for the volatile end, used or not. So nothing before that end depends on what stands
   * there.
   */
  readonly volatileReserve: number
  /** What the budget is computed from. Left out: `budget` is the caller's own. */
  readonly asked?: AskedBudget
}

/** A budget as the caller gave it, and what is subtracted to get one in tokens as `estimateTokens` counts. */
interface AskedBudget {
  readonly budget: number
  readonly outputReserve: number
  readonly rounding: number
  /** How many tokens of the caller's model equal one of our tokens. */
  readonly ratio: number
}

/** A block that stands before the current message and may change with each call. */
export interface VolatileBlock {
  readonly name: 'recent_changes' | 'recalled_memory' | 'recall'
  readonly text: string
}

export interface FixedPart {
  readonly instructions: string
  readonly blocks: readonly { readonly name: BlockName; readonly tokens: number }[]
  readonly tokens: number
  /** What the definitions of the tools take of `tokens`. */
  readonly toolTokens: number
  /** Stands for the instructions in the names of views. */
  readonly hash: string
  /** The number of memory documents that are not shown whole. */
  readonly clippedLayers: number
}

/**
 * What a call costs before any word of the conversation. `toolTokens`: what the definitions of the tools
 * take.
 */
export function fixedPart({
  instructions,
  layers,
  toolTokens,
}: {
  instructions: string
  layers: readonly Layer[]
  toolTokens: number
}): FixedPart {
  const blocks = [
    { name: 'instructions' as const, tokens: estimateTokens(instructions) },
    { name: 'tools' as const, tokens: toolTokens },
    ...layers.map(({ name, text }) => ({ name, tokens: estimateTokens(text) })),
  ].filter(block => block.tokens > 0)
  const text = [instructions, ...layers.map(layer => layer.text)].filter(text => text !== '').join('\n\n')
  return {
    instructions: text,
    blocks,
    tokens: blocks.reduce((sum, block) => sum + block.tokens, 0),
    toolTokens,
    hash: shortHash(text),
    clippedLayers: layers.filter(({ isClipped }) => isClipped).length,
  }
}
