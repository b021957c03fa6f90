import type { SessionKind } from 'palimpsest/internals/log/index'
import type { Prices } from './prices/prices.ts'

/**
 * The result of `compare`. The table, the CSV and the page show it, and `palimpsest replay --json` prints it.
 */
export interface Comparison {
  readonly transcripts: readonly TranscriptFigures[]
  readonly prices: Prices
  /** The prices of the model that writes the summaries. */
  readonly summarizerPrices: Prices
  readonly assumptions: Assumptions
  /** First the policies, in the order in which the caller gave them; then the bots without a memory. */
  readonly runs: readonly Run[]
  /** `null`: no setting was swept. */
  readonly sweep: Sweep | null
}

export interface TranscriptFigures {
  readonly path: string
  /** The title of the conversation in its file; `null`: the file gives none. */
  readonly title: string | null
  readonly format: string
  readonly kind: SessionKind
  readonly messages: number
  /** The sum over all messages. */
  readonly tokens: number
}

/** What the figures rest on, apart from the transcripts and the prices. */
export interface Assumptions {
  /** Tokens of instructions and tools in every request. */
  readonly overheadTokens: number
  /** `simulated`: each summary has `summaryRatio` of its source's size, as a model would write it. */
  readonly summarizer: 'simulated' | 'extractive'
  readonly summaryRatio: number | null
  /**
   * When the model is asked for a reply. `replies`: before each message of the assistant; in a conversation
   * without replies, after every 12 messages. A number `n`: after every `n` messages.
   */
  readonly calls: 'replies' | number
  readonly extraction: 'none' | 'turn' | 'batch'
}

export interface Run {
  /** For example `rounds`, `rounds fullContextTurns=6`, `no memory`, `last 40 messages`. */
  readonly name: string
  readonly kind: 'policy' | 'baseline'
  /** The preset's name; `settings` holds what the caller set of it. */
  readonly policy: string | null
  readonly settings: Readonly<Record<string, string | number>>
  readonly messages: number
  readonly cost: Cost
  readonly tokens: RunTokens
  /** Requests that found less in the cache than the request before them had left there, by cause. */
  readonly breaks: readonly PrefixBreaks[]
  readonly folds: readonly ReplayFold[]
  /** At most a few hundred points, in order. */
  readonly timeline: readonly TimelinePoint[]
}

export interface RunTokens {
  /** All messages together. */
  readonly log: number
  /** The messages that are still raw at the end. */
  readonly raw: number
  /** What the summariser was given, over all folds. */
  readonly folded: number
  /** The segments that stand at the end. */
  readonly segments: number
  /** Of the requests for replies, with instructions and tools. */
  readonly meanContext: number
  readonly peakContext: number
  /** The share of these requests' tokens that was read at the cached price, from 0 to 1. */
  readonly cachedShare: number
}

/** What a model is asked for. */
export type CallKind = 'reply' | 'summary' | 'memo' | 'extraction'

export interface Cost {
  /** In the currency of the prices. */
  readonly total: number
  readonly calls: Readonly<Record<CallKind, CallCost>>
}

export interface CallCost {
  readonly calls: number
  /** All tokens that were read: at the full price, at the cached price and at the price of a cache write. */
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly money: number
}

/**
 * `fold`: since a fold, the context begins differently. `cut`: before a fold, more came in than the context
 * has room for, so it leaves out its beginning for now. `slide`: a bot that keeps the last messages drops the
 * oldest. `expired`: the cache had forgotten the prefix, so any change in between cost nothing.
 */
export type BreakCause = 'fold' | 'cut' | 'slide' | 'expired'

export interface PrefixBreaks {
  readonly cause: BreakCause
  /** The reason of the fold; `null` for any other cause. */
  readonly reason: string | null
  readonly count: number
  /** Tokens that were read again although they had been cached. */
  readonly tokens: number
}

export interface ReplayFold {
  /** The index of the transcript, from 0; missing where there is only one. */
  readonly transcript?: number
  /** How many messages were in the log at the decision. */
  readonly at: number
  /** `null`: all messages were in the tail, so nothing moved. */
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly type: string
  readonly reason: string
  readonly severity: number
}

/** One request for a reply. Where several requests are shown as one, the largest of them. */
export interface TimelinePoint {
  /** The number of messages so far, over all transcripts. */
  readonly message: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly contextTokens: number
  readonly cachedTokens: number
  /** The money spent so far, on all calls. */
  readonly money: number
  /** The number of folds that moved something since the point before. */
  readonly folds: number
}

/** One policy with different values of one or two of its settings. */
export interface Sweep {
  readonly policy: string
  readonly settings: readonly string[]
  /** In the order in which they were tried. */
  readonly points: readonly SweepPoint[]
  readonly best: SweepPoint
  /** All points that cost at most the share `within` more than the best. The best is one of them. */
  readonly flat: { readonly within: number; readonly points: readonly SweepPoint[] }
}

export interface SweepPoint {
  readonly values: Readonly<Record<string, number>>
  readonly money: number
  readonly meanContext: number
  readonly peakContext: number
  readonly folds: number
}
