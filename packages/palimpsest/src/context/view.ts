import { estimateTokens } from '../tokens/index.ts'
import type { BlockName } from './context.ts'
import { shortHash } from './create-hash.ts'
import type { ContextSegment } from './session-memory.ts'

/** A memory document or the like: it stands in the instructions, in the order of the blocks. */
export interface Layer {
  readonly name: BlockName
  readonly text: string
  /** Some of it is left out for want of room; it says so itself. */
  readonly isClipped?: boolean
}

/** Everything that decides what a context looks like, beside the session itself. */
export interface View {
  /** For the whole context but the room for the reply, in tokens as `estimateTokens` counts. */
  readonly budget: number
  /** When there is too much, so much of the room is left filled: then the prefix holds for a while. */
  readonly lowWater: number
  /** With all that memory may take: that is set aside before segments are chosen. */
  readonly fixed: FixedPart
  /** What it is beside the segments that were chosen, since memory leaves out what they tell. Left out: the same. */
  readonly fixedBeside?: (shown: readonly ContextSegment[]) => FixedPart
  readonly reasoning: 'drop' | 'keep'
  /** Most raw messages; `null`: any number. */
  readonly mostMessages: number | null
  /** Where another policy would have the context begin, were the session folded by it; `null`: at the cursor. */
  readonly from: { readonly turn: number } | { readonly messages: number } | null
  /** There is more room than folds were made for: the newest folded messages are shown as they were said. */
  readonly unfolds: boolean
  /** Room that is kept free for the volatile end, used or not: then nothing before it hangs on what is there. */
  readonly volatileReserve: number
  /** What the budget comes from. Left out: it is the caller's own. */
  readonly asked?: AskedBudget
}

/** A budget as the caller gave it, with what is taken off it before it is one in tokens as `estimateTokens` counts. */
interface AskedBudget {
  readonly budget: number
  readonly outputReserve: number
  readonly rounding: number
  /** How many tokens of the caller's model one of ours is. */
  readonly ratio: number
}

/** What stands before the current message and may be another with each call. */
export interface VolatileBlock {
  readonly name: 'recent_changes' | 'recalled_memory' | 'recall'
  readonly text: string
}

export interface FixedPart {
  readonly instructions: string
  readonly blocks: readonly { readonly name: BlockName; readonly tokens: number }[]
  readonly tokens: number
  /** Of these, what the tools' definitions take. */
  readonly toolTokens: number
  /** Names the instructions in the names of views. */
  readonly hash: string
  /** Memory documents that are not shown whole. */
  readonly clippedLayers: number
}

/** What a call costs before a word of the conversation is in it. `toolTokens`: what the tools' definitions take. */
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
