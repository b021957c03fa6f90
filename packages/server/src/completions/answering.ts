/** A piece of an answer, as it arrives. The `end` piece is the last, sent once the whole answer is stored. */
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

/** An answer that is being written. */
export interface Answering {
  readonly sessionId: string
  /** The seq of the newest message that it answers. */
  readonly seq: number
  /** The name of the model or responder that answers. */
  readonly model: string
  /**
   * Throws the error of a failed answer. However the caller leaves the loop, the text that came is stored.
   */
  readonly pieces: AsyncGenerator<Piece, void>
  /** The caller no longer listens: the answer ends as soon as it can. */
  stop(): void
}
