/** The answers of the HTTP API, as far as the page reads them. Times are ISO 8601. */

export interface SessionFigures {
  readonly id: string
  readonly kind: 'private' | 'group' | 'agent'
  readonly user: string | null
  readonly scope: string | null
  readonly createdAt: string
  readonly lastMessageAt: string | null
  readonly epoch: number
  readonly messages: number
  readonly rawMessages: number
  readonly rawTokens: number
  readonly segments: number
  readonly segmentTokens: number
  readonly turns: number
  /** A context begins after this message; `null`: with the first. */
  readonly beginsAfter: number | null
  readonly compactedThrough: number
  readonly compactedThroughTurn: number
  readonly lastFoldAt: string | null
  readonly folding: boolean
  readonly pending: boolean
  readonly memo: Readonly<Record<string, unknown>> | null
  readonly lastOutcome: Readonly<Record<string, unknown>> | null
}

export interface Sender {
  readonly id: string
  readonly name?: string
  readonly isSelf?: boolean
}

export interface Message {
  readonly id: string
  readonly seq: number
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly sender: Sender | null
  readonly content: string | readonly ContentPart[]
  readonly text: string
  readonly at: string
  readonly externalId: string | null
  readonly replyTo: number | string | null
  readonly answered?: Answered
  readonly version: number
  readonly archived: boolean
  readonly tokens: number
}

/** The message that a message answers, unless it is the one right before it. */
export interface Answered {
  readonly seq: number
  readonly role: Message['role']
  readonly sender: Sender | null
  /** The source of the words, unless they are the sender's own. */
  readonly origin?: Origin
  readonly text: string
}

export interface ContentPart {
  readonly type: string
  /** The source of the words, if the sender only passes them on. */
  readonly origin?: Origin
  readonly [field: string]: unknown
}

export interface Origin {
  readonly kind: 'forward' | 'quote' | 'reply' | 'link'
  readonly from?: { readonly id?: string; readonly name?: string }
  readonly chat?: string
  readonly at?: string
}

export interface Segment {
  readonly id: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly messageCount: number
  readonly summary: string
  readonly events: readonly unknown[]
  readonly details: readonly unknown[]
  readonly text: string
  readonly level: number
  readonly state: 'live' | 'rolled-up' | 'provisional' | 'dirty'
  readonly rolledInto: number | null
  readonly type: string
  readonly reason: string
  readonly summarizer: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly createdAt: string
  /** Missing: the server did not keep it. */
  readonly people?: readonly {
    readonly id: string
    readonly names: readonly { readonly name: string; readonly since: string }[]
  }[]
}

/** One level down: segments or messages, never both. */
export interface Expanded {
  readonly segment: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly segments: readonly Segment[]
  readonly messages: readonly Message[]
  readonly next: number | null
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly ContentPart[]
}

export interface ContextReport {
  readonly tokens: number
  readonly budget: number
  readonly blocks: readonly { readonly name: string; readonly tokens: number }[]
  readonly prefixHash: string
  readonly omitted: readonly Omission[]
  readonly epoch: number
  readonly view: string
  readonly stableMessages: number
  readonly throughSeq: number
}

export interface Omission {
  readonly what: string
  readonly reason: string
  readonly fromSeq: number
  readonly toSeq: number
  readonly count: number
}

export interface ContextAnswer {
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly messageTokens: readonly number[]
  /** For each message, the newest message of the log that it shows; 0: the session memory. */
  readonly messageSeqs: readonly number[]
  readonly report: ContextReport
}

export interface Usage {
  readonly model?: string
  readonly calls?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly [figure: string]: unknown
}

/** A fold that was applied or that failed. */
export interface Fold {
  readonly id: string
  readonly at: string
  readonly outcome: 'applied' | 'failed'
  readonly type: string
  readonly reason: string
  readonly fromSeq: number | null
  readonly toSeq: number | null
  /** The newest message at the decision; `null`: it is not known. */
  readonly throughSeq: number | null
  readonly tokensBefore: number | null
  readonly tokensAfter: number | null
  readonly durationMs: number | null
  readonly usage: Usage | null
  /** The spending limit that kept the fold from calling the model, or stopped its calls. */
  readonly spendGuard: SpendGuardReport | null
  readonly segmentIds: readonly number[]
}

export interface SpendGuardReport {
  readonly model: string
  readonly scope: 'namespace' | 'session'
  readonly unit: 'calls' | 'tokens'
  readonly used: number
  readonly limit: number
  readonly until: string
}

/** The tokens of the log up to a message, that message included. */
export interface GrowthPoint {
  readonly seq: number
  readonly at: string
  readonly tokens: number
}

export interface FoldOutcome {
  readonly outcome: 'applied' | 'skipped' | 'failed'
  readonly type: string | null
  readonly reason: string | null
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly segmentId: number | null
  readonly [figure: string]: unknown
}

export interface SearchResult {
  readonly sessionId: string
  readonly seq: number
  readonly externalId: string | null
  readonly role: Message['role']
  readonly sender: Sender | null
  readonly at: string
  readonly score: number
  readonly archived: boolean
  readonly excerpt: string
  /** The places of the searched words in the excerpt: from, to. */
  readonly highlights: readonly (readonly [number, number])[]
  /** The source of those words of the excerpt that are not the sender's own. */
  readonly origin?: Origin
  readonly answered?: Answered
  readonly before: readonly NeighbourMessage[]
  readonly after: readonly NeighbourMessage[]
}

export interface NeighbourMessage {
  readonly seq: number
  readonly role: Message['role']
  readonly sender: Sender | null
  readonly at: string
  readonly excerpt?: string
  readonly text?: string
}

export type Layer = 'persona' | 'global' | 'user' | 'scope' | 'chat' | 'daily'

export interface DocumentHead {
  readonly layer: Layer
  readonly key: string
  readonly version: number
  readonly tokens: number
  readonly budget: number
  readonly createdAt: string
  readonly updatedAt: string
}

export interface MemoryDocument extends DocumentHead {
  readonly content: string
  readonly sections: readonly {
    readonly heading: string
    readonly level: number
    readonly content: string
  }[]
  readonly etag: string
}

export interface DocumentVersion {
  readonly version: number
  readonly content: string
  readonly author: { readonly kind: string; readonly name?: string | null }
  readonly sources: unknown
  readonly at: string
  readonly undoes: number | null
}

export interface SettingDescription {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number'
  readonly default: unknown
  readonly allowed: string
  readonly help: string
  readonly reach: 'request' | 'session' | 'server' | 'start'
  /**
   * What a namespace may do with a value that the operator of the server has set: only lower it (`max`),
   * nothing (`fixed`), or anything (`free`).
   */
  readonly namespace: 'max' | 'fixed' | 'free'
  /** The setting is fixed, unless the namespace has its own key for its model. */
  readonly freeWithKey?: boolean
  /** For a number of a policy: the presets that have it. */
  readonly presets?: readonly string[]
  readonly environment: string
  readonly secret?: boolean
}

export interface SettingsAnswer {
  readonly settings: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, string>>
  /** The numbers that decided the policy, if no policy is named. */
  readonly policyChosenBy?: readonly string[]
  /** Which set values are not in force, and why. */
  readonly messages?: readonly string[]
  /** The operator's limits. Missing in the server's own namespace. */
  readonly ceilings?: Readonly<Record<string, unknown>>
  readonly schema?: readonly SettingDescription[]
}

export interface ReplayAnswer {
  readonly policy: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly source: 'session' | 'sample'
  readonly messages: number
  readonly turns: number
  readonly folds: readonly {
    readonly at: number
    readonly fromSeq: number | null
    readonly toSeq: number | null
    readonly type: string
    readonly reason: string
    readonly severity: number
  }[]
  readonly timeline: readonly {
    readonly message: number
    readonly at: number
    readonly contextTokens: number
    readonly cachedTokens: number
    readonly money: number
    readonly folds: number
  }[]
  readonly tokens: ReplayTokens
  readonly cost: ReplayCost
  readonly breaks: readonly {
    readonly cause: string
    readonly reason: string | null
    readonly count: number
    readonly tokens: number
  }[]
  /** A bot that sends everything each time. */
  readonly baseline: { readonly cost: ReplayCost; readonly tokens: ReplayTokens }
  readonly prices: { readonly name: string; readonly currency?: string; readonly [field: string]: unknown }
}

export interface ReplayTokens {
  readonly meanContext: number
  readonly peakContext: number
  readonly cachedShare: number
  readonly [figure: string]: number
}

export interface ReplayCost {
  readonly total: number
  readonly calls: Readonly<
    Record<string, { readonly calls: number; readonly money: number; readonly [figure: string]: number }>
  >
}

export interface ErasureReceipt {
  readonly id: number
  readonly target: Readonly<Record<string, unknown>> | null
  readonly requestedAt: string
  readonly done: boolean
  readonly places: readonly {
    readonly place: string
    readonly count: number
    readonly state: string
    /** What the place waits for, if the operator has to act. */
    readonly note?: string
    /** The statement that the operator then runs in the database. */
    readonly statement?: string
  }[]
}

export interface ServerEvent {
  readonly type: string
  readonly sessionId: string | null
  readonly at: string
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly data: Readonly<Record<string, unknown>> | null
}
