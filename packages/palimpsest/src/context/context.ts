import type { Language } from '../language/index.ts'
import type { ModelMessage } from './model-message.ts'

/** The parts of a context, in their order in it. An empty part is absent. */
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

/** Something that this context does not show as it was said, and the reason. The log has all of it. */
export interface Omission {
  readonly what: 'messages' | 'segments' | 'pins' | 'tool-result' | 'text' | 'reasoning' | 'memory'
  readonly reason: 'over_budget' | 'context_size' | 'oversized' | 'old_tool_result' | 'not_sent'
  readonly fromSeq: number
  readonly toSeq: number
  readonly count: number
}

export interface ContextReport {
  /** The whole context, fixed overhead included: at most `budget`. */
  readonly tokens: number
  readonly budget: number
  readonly blocks: readonly { readonly name: BlockName; readonly tokens: number }[]
  /**
   * The hash of the instructions and the stable messages. The provider's cache holds while these only grow.
   */
  readonly prefixHash: string
  readonly omitted: readonly Omission[]
  readonly epoch: number
  /**
   * The name of this way to show the session. Two contexts of one session with the same name extend each
   * other byte for byte. A volatile block moves the current message, so such a context has a name of its own.
   */
  readonly view: string
  /** How many of `messages` are stable: later contexts of this view begin with them. */
  readonly stableMessages: number
  /** The newest message of the log that this context knows; 0 in an empty session. */
  readonly throughSeq: number
  /**
   * The session has a new beginning after this message: nothing before it is shown. `null`: there is none.
   */
  readonly beginsAfter: number | null
}

/** Where to ask for caching, for a provider that caches only on request. */
export interface CacheBreakpoints {
  readonly afterInstructions: boolean
  /** Indexes into `messages`: a cached part ends after each of these messages. */
  readonly afterMessages: readonly number[]
}

/** How the messages of the log are shown, for a caller that sends them in its own format. */
export interface RawRules {
  /** The first message that is shown as it was said; `null`: none is. */
  readonly fromSeq: number | null
  /** Long tool results in messages below this `seq` are left out. */
  readonly stubBelowSeq: number
  /** The tokens that are shown of a message larger than this. */
  readonly clipTokens: number
}

/** What the model is given for one call. It is computed and never stored. Treat it as frozen. */
export interface ContextParts {
  /** The language of all that the engine itself wrote in the context. */
  readonly language: Language
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  /** The tokens of each message, as `estimateTokens` counts. */
  readonly messageTokens: readonly number[]
  /** For each message the newest message of the log that it shows; 0: the session memory. */
  readonly messageSeqs: readonly number[]
  readonly breakpoints: CacheBreakpoints
  /** The text of the session memory; `null`: there is none. */
  readonly sessionMemory: string | null
  readonly raw: RawRules
  readonly report: ContextReport
}
