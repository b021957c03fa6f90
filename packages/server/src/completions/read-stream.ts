import { estimateTokens } from 'palimpsest/internals/tokens/index'
import type { FinishReason, Piece, Usage } from './answering.ts'

export type StreamPart = { readonly type: string } & Readonly<Record<string, unknown>>

interface TotalUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number }
  readonly outputTokenDetails?: { readonly reasoningTokens?: number }
}

/** Turns the parts of the AI SDK's stream into pieces of an answer. */
export class StreamReader {
  readonly #calls = new Map<string, { readonly index: number; arguments: string }>()
  #texts = ''
  #blocks: Readonly<Record<string, unknown>> = {}
  #finishReason = ''
  #usage: TotalUsage = {}

  /** The arguments of a call as the model wrote them. `undefined`: there is no such call. */
  argumentsOf(callId: string): string | undefined {
    return this.#calls.get(callId)?.arguments
  }

  *take(part: StreamPart): Generator<Piece> {
    // The provider runs this tool itself, so the client has nothing to answer.
    if (part['providerExecuted'] === true) return
    switch (part.type) {
      case 'text-delta':
        yield* this.#words('text', part)
        break
      case 'reasoning-delta':
        yield* this.#words('reasoning', part)
        break
      case 'tool-input-start':
        yield this.#begin(String(part['id']), String(part['toolName']))
        break
      case 'tool-input-delta':
        yield* this.#argue(String(part['id']), String(part['delta']))
        break
      case 'tool-call':
        yield* this.#complete(part)
        break
      case 'finish':
        this.#finishReason = String(part['finishReason'])
        this.#usage = (part['totalUsage'] ?? {}) as TotalUsage
        break
    }
  }

  /**
   * The last piece. Token counts that the provider left out are estimated. `estimated` is
   * the estimate for the model's input.
   */
  end(estimated: number): Piece {
    const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = this.#usage
    const usage: Usage = {
      inputTokens: inputTokens ?? estimated,
      cachedInputTokens: inputTokenDetails?.cacheReadTokens ?? 0,
      outputTokens: outputTokens ?? estimateTokens(this.#texts),
      reasoningTokens: outputTokenDetails?.reasoningTokens ?? 0,
    }
    return { type: 'end', finishReason: this.#reason(), usage }
  }

  #reason(): FinishReason {
    if (this.#finishReason === 'length') return 'length'
    if (this.#finishReason === 'content-filter') return 'content_filter'
    return this.#calls.size > 0 ? 'tool_calls' : 'stop'
  }

  /** Two blocks of text become two lines, as in the log. */
  *#words(type: 'text' | 'reasoning', part: StreamPart): Generator<Piece> {
    const words = String(part['text'] ?? '')
    if (words === '') return
    const isNext = this.#blocks[type] !== undefined && this.#blocks[type] !== part['id']
    this.#blocks = { ...this.#blocks, [type]: part['id'] }
    this.#texts += words
    yield { type, text: isNext ? `\n${words}` : words }
  }

  #begin(id: string, name: string): Piece {
    const index = this.#calls.size
    this.#calls.set(id, { index, arguments: '' })
    this.#texts += name
    return { type: 'call', index, id, name }
  }

  *#argue(id: string, text: string): Generator<Piece> {
    const call = this.#calls.get(id)
    if (call === undefined || text === '') return
    call.arguments += text
    this.#texts += text
    yield { type: 'arguments', index: call.index, text }
  }

  /** Some models send a call in one part. Some send no arguments for a call without arguments. */
  *#complete(part: StreamPart): Generator<Piece> {
    const id = String(part['toolCallId'])
    if (!this.#calls.has(id)) yield this.#begin(id, String(part['toolName']))
    if (this.argumentsOf(id) === '') yield* this.#argue(id, JSON.stringify(part['input'] ?? {}))
  }
}
