import type { Prices } from '../prices/prices.ts'

/** One request to a model, as far as its price goes. Places in it are told in tokens from its beginning. */
export interface PromptRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly tokens: number
  readonly outputTokens: number
  /** So much of it is, byte for byte, the beginning of the request before it. */
  readonly sharedTokens: number
  /** Without what stands at its end for this once. */
  readonly stableTokens: number
  /** Where it asks for its prefix to be cached, for providers that cache nowhere else. */
  readonly marks: readonly CacheMark[]
}

export interface CacheMark {
  readonly tokens: number
  /** How many blocks lie before it. */
  readonly blocks: number
}

export interface Charge {
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly money: number
  /** What had been cached, and was read at the full price all the same. */
  readonly lostTokens: number
  /** The cache had forgotten all of it. */
  readonly isExpired: boolean
}

/** A prefix is looked for at a mark, and at so many blocks before it. */
const BLOCKS_LOOKED_BACK = 20

/**
 * What one row of requests costs. A request finds in the cache what it shares with the request before it, if
 * that is no longer ago than the cache's lifetime.
 */
export class PromptCache {
  readonly #prices: Prices
  #previous: PromptRequest | null = null

  constructor(prices: Prices) {
    this.#prices = prices
  }

  charge(request: PromptRequest): Charge {
    const previous = this.#previous
    const { cacheLifetimeSec, input, cachedInput, cacheWrite, output } = this.#prices
    const isExpired = previous !== null && request.at - previous.at > cacheLifetimeSec * 1000
    const found = previous === null || isExpired ? 0 : this.#found(previous, request)
    const left = previous === null ? 0 : this.#left(previous)
    this.#previous = request
    const cachedTokens = Math.min(found, request.tokens)
    const cacheWriteTokens = Math.max(0, this.#written(request) - cachedTokens)
    const fullTokens = request.tokens - cachedTokens - cacheWriteTokens
    return {
      cachedTokens,
      cacheWriteTokens,
      money:
        (fullTokens * input +
          cachedTokens * cachedInput +
          cacheWriteTokens * cacheWrite +
          request.outputTokens * output) /
        1_000_000,
      // A mark that is too far back is not found, though nothing has changed before it: no break.
      lostTokens: !isExpired && request.sharedTokens >= left ? 0 : Math.max(0, left - cachedTokens),
      isExpired,
    }
  }

  #found(previous: PromptRequest, request: PromptRequest): number {
    switch (this.#prices.caching) {
      case 'none':
        return 0
      case 'automatic':
        return this.#cacheable(request.sharedTokens)
      case 'breakpoints':
        return this.#cacheable(lastSharedMark(previous, request))
    }
  }

  /** What is in the cache after a request, of its beginning. */
  #written(request: PromptRequest): number {
    switch (this.#prices.caching) {
      case 'none':
        return 0
      case 'automatic':
        return this.#cacheable(request.tokens)
      case 'breakpoints':
        return this.#cacheable(request.marks.at(-1)?.tokens ?? 0)
    }
  }

  /** Of that, what a request that only adds to it would find. */
  #left(request: PromptRequest): number {
    return this.#cacheable(Math.min(this.#written(request), request.stableTokens))
  }

  #cacheable(tokens: number): number {
    const { leastCachedTokens, cacheStepTokens } = this.#prices
    return tokens < leastCachedTokens ? 0 : tokens - (tokens % cacheStepTokens)
  }
}

function lastSharedMark(previous: PromptRequest, request: PromptRequest): number {
  const isFound = (written: CacheMark) =>
    written.tokens <= request.sharedTokens &&
    request.marks.some(
      ({ tokens, blocks }) => tokens >= written.tokens && blocks - written.blocks <= BLOCKS_LOOKED_BACK,
    )
  return previous.marks.findLast(isFound)?.tokens ?? 0
}
