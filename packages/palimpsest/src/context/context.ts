import type { Language } from '../language/index.ts'
import type { ModelMessage } from './model-message.ts'

/** The parts of a context, in the order in which they stand in it. A part with nothing in it is absent. */
export const BLOCK_NAMES = [
  'instructions',
  'tools',
  'output_reserve',
  'persona',
  'global_memory',
  'guidance',
  'user_memory',
  'scope_memory',
  'chat_memory',
  'daily_log',
  'session_memory',
  'raw',
  'recent_changes',
  'recalled_memory',
  'recall',
  'current',
] as const
export type BlockName = (typeof BLOCK_NAMES)[number]

/** Something that is not in this context as it was said, and why. It is all in the log. */
export interface Omission {
  readonly what: 'messages' | 'segments' | 'pins' | 'tool-result' | 'text' | 'reasoning' | 'memory'
  readonly reason: 'over_budget' | 'context_size' | 'oversized' | 'old_tool_result' | 'not_sent'
  readonly fromSeq: number
  readonly toSeq: number
  readonly count: number
}

export interface ContextReport {
  /** All of it, fixed overhead included: at most `budget`. */
  readonly tokens: number
  readonly budget: number
  readonly blocks: readonly { readonly name: BlockName; readonly tokens: number }[]
  /** Of everything up to the volatile end: as long as it is only added to, the provider's cache holds. */
  readonly prefixHash: string
  readonly omitted: readonly Omission[]
  readonly epoch: number
  /**
   * Two contexts of one session with the same name extend each other byte for byte. What stands before the current
   * message for one call moves that message: such contexts have a name of their own.
   */
  readonly view: string
  /** How many of `messages` are stable: later contexts of this view begin with them. */
  readonly stableMessages: number
  /** The newest message of the log that it knows of; 0 in an empty session. */
  readonly throughSeq: number
  /** A new beginning was made after this message: nothing of before it is shown. `null`: there is none. */
  readonly beginsAfter: number | null
}

/** Where a provider that caches only where asked should be asked to. */
export interface CacheBreakpoints {
  readonly afterInstructions: boolean
  /** Indexes into `messages`: the cache ends after each of them. */
  readonly afterMessages: readonly number[]
}

/** How the messages of the log are shown: for those who send them in a form of their own. */
export interface RawRules {
  /** The first one that is shown as it was said; `null`: none is. */
  readonly fromSeq: number | null
  /** Long tool results of messages below it are left out. */
  readonly stubBelowSeq: number
  /** What is shown of a larger message. */
  readonly clipTokens: number
}

/** What the model is given for one call: computed, never stored. Treat it as frozen. */
export interface ContextParts {
  /** Of all that the engine itself wrote in it. */
  readonly language: Language
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  /** What each of them takes, as `estimateTokens` counts. */
  readonly messageTokens: readonly number[]
  /** The newest message of the log that each of them shows; 0: the session memory. */
  readonly messageSeqs: readonly number[]
  readonly breakpoints: CacheBreakpoints
  /** The text of the segments, where there are any. */
  readonly sessionMemory: string | null
  readonly raw: RawRules
  readonly report: ContextReport
}
