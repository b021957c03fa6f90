import { estimateTokens } from 'palimpsest/internals/tokens/index'
import type { Prices } from '../prices/prices.ts'
import type { Bill } from './bill.ts'
import { PromptCache } from './prompt-cache.ts'

export interface SummarizerCall {
  readonly kind: 'summary' | 'memo'
  /** The instructions stand first and are the same for all calls of a kind. */
  readonly instructions: string
  readonly promptTokens: number
  readonly outputTokens: number
}

/** What the summaries of one session cost. Only the instructions of a call can be cached. */
export class SummarizerCalls {
  readonly #bill: Bill
  readonly #clock: () => number
  readonly #cache: PromptCache
  readonly #sizes = new Map<string, number>()
  #lastInstructions = ''

  constructor(bill: Bill, prices: Prices, clock: () => number) {
    this.#bill = bill
    this.#clock = clock
    this.#cache = new PromptCache(prices)
  }

  add({ kind, instructions, promptTokens, outputTokens }: SummarizerCall): void {
    const fixed = this.#sizeOf(instructions)
    const request = {
      at: this.#clock(),
      tokens: fixed + promptTokens,
      outputTokens,
      sharedTokens: instructions === this.#lastInstructions ? fixed : 0,
      stableTokens: fixed,
      // A caller sets no cache marks in a request that it sends only once.
      marks: [],
    }
    this.#lastInstructions = instructions
    this.#bill.add(kind, request, this.#cache.charge(request))
  }

  #sizeOf(instructions: string): number {
    let size = this.#sizes.get(instructions)
    if (size === undefined) {
      size = estimateTokens(instructions)
      this.#sizes.set(instructions, size)
    }
    return size
  }
}
