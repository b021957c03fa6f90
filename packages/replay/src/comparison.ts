import type { SessionKind } from 'palimpsest/internals/log/index'
import type { Prices } from './prices/prices.ts'

/** What `replay` found out: the table, the CSV and the page show this, and `--json` prints it. */
export interface Comparison {
  readonly transcripts: readonly TranscriptFigures[]
  readonly prices: Prices
  /** Of the model that writes the summaries. */
  readonly summarizerPrices: Prices
  readonly assumptions: Assumptions
  /** The policies in the order in which they were asked for, then the bots without a memory. */
  readonly runs: readonly Run[]
  /** `null`: nothing was swept. */
  readonly sweep: Sweep | null
}

export interface TranscriptFigures {
  readonly path: string
  /** Which of a file's conversations; `null` where there is only the one. */
  readonly title: string | null
  readonly format: string
  readonly kind: SessionKind
  readonly messages: number
  /** Of all messages together. */
  readonly tokens: number
}

/** What the figures rest on beside the transcripts and the prices. */
export interface Assumptions {
  /** Tokens of instructions and tools in every request. */
  readonly overheadTokens: number
  /** `simulated`: a summary of `summaryRatio` of its source, by a model. */
  readonly summarizer: 'simulated' | 'extractive'
  readonly summaryRatio: number | null
  /**
   * `replies`: one before each message of the assistant; in a conversation where nobody replies, one after every
   * 12 messages. A number: one after every so many messages.
   */
  readonly calls: 'replies' | number
  readonly extraction: 'none' | 'turn' | 'batch'
}

export interface Run {
  /** `rounds`, `rounds fullContextTurns=6`, `no memory`, `last 40 messages`. */
  readonly name: string
  readonly kind: 'policy' | 'baseline'
  /** The preset's name, and what was set of it. */
  readonly policy: string | null
  readonly settings: Readonly<Record<string, string | number>>
  readonly messages: number
  readonly cost: Cost
  readonly tokens: RunTokens
  /** Requests that found less in the cache than the one before them had left there, by the cause. */
  readonly breaks: readonly PrefixBreaks[]
  readonly folds: readonly ReplayFold[]
  /** At most some hundred points, in order. */
  readonly timeline: readonly TimelinePoint[]
}

export interface RunTokens {
  /** All messages together. */
  readonly log: number
  /** Raw at the end. */
  readonly raw: number
  /** Given to the summariser, over all folds. */
  readonly folded: number
  /** Of the segments at the end. */
  readonly segments: number
  /** Of the requests for replies, instructions and tools included. */
  readonly meanContext: number
  readonly peakContext: number
  /** The share of these requests' tokens that was read at the cached price: 0 to 1. */
  readonly cachedShare: number
}

/** Who asks a model. */
export type CallKind = 'reply' | 'summary' | 'memo' | 'extraction'

export interface Cost {
  /** In the prices' currency. */
  readonly total: number
  readonly calls: Readonly<Record<CallKind, CallCost>>
}

export interface CallCost {
  readonly calls: number
  /** All that was read: at the full price, at the cached one and at that for a cache write. */
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly money: number
}

/**
 * `fold`: the context begins otherwise since a fold. `cut`: so much came in before a fold that the beginning
 * was left out for the time being. `slide`: a bot that keeps the last messages drops the oldest. `expired`:
 * the cache had forgotten the prefix, so whatever changed meanwhile cost nothing.
 */
export type BreakCause = 'fold' | 'cut' | 'slide' | 'expired'

export interface PrefixBreaks {
  readonly cause: BreakCause
  /** Of a fold: its reason. */
  readonly reason: string | null
  readonly count: number
  /** What was read again though it had been cached. */
  readonly tokens: number
}

export interface ReplayFold {
  /** Which of the transcripts, from 0; left out where there is only one. */
  readonly transcript?: number
  /** How many messages were in the log when it was decided. */
  readonly at: number
  /** `null`: all lay in the tail, so nothing moved. */
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly type: string
  readonly reason: string
  readonly severity: number
}

/** One request for a reply; of several that are shown as one, the largest. */
export interface TimelinePoint {
  /** Messages so far, over all transcripts. */
  readonly message: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly contextTokens: number
  readonly cachedTokens: number
  /** Spent so far, on everything. */
  readonly money: number
  /** Folds since the point before that moved something. */
  readonly folds: number
}

/** One policy with one or two of its settings tried out. */
export interface Sweep {
  readonly policy: string
  readonly settings: readonly string[]
  /** In the order in which they were tried. */
  readonly points: readonly SweepPoint[]
  readonly best: SweepPoint
  /** All that cost at most so much more than the best, the best included. */
  readonly flat: { readonly within: number; readonly points: readonly SweepPoint[] }
}

export interface SweepPoint {
  readonly values: Readonly<Record<string, number>>
  readonly money: number
  readonly meanContext: number
  readonly peakContext: number
  readonly folds: number
}
