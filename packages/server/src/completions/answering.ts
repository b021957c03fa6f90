/** What is heard of an answer, as it comes. The end comes last, once all of it is stored. */
export type Piece =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: Usage }

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export interface Usage {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** An answer that is under way. */
export interface Answering {
  readonly sessionId: string
  /** The newest message that it answers. */
  readonly seq: number
  /** The name of what answers. */
  readonly model: string
  /** Throws what went wrong. However it is left, what came is stored. */
  readonly pieces: AsyncGenerator<Piece, void>
  /** Nobody listens any more: it ends as soon as it can. */
  stop(): void
}
