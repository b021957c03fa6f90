import type { Prices } from '../prices/prices.ts'

/**
 * What the price of one request to a model depends on. A place in the request is counted in tokens from its
 * beginning.
 */
export interface PromptRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly tokens: number
  readonly outputTokens: number
  /** The tokens at the beginning that are, byte for byte, the beginning of the request before it. */
  readonly sharedTokens: number
  /** The tokens without the part at the end that only this request has. */
  readonly stableTokens: number
  /** The places up to which the request asks for its prefix to be cached. Some providers cache only there. */
  readonly marks: readonly CacheMark[]
}

export interface CacheMark {
  readonly tokens: number
  /** The number of blocks before the mark. */
  readonly blocks: number
}

export interface Charge {
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly money: number
  /** Tokens that were in the cache and were read at the full price all the same. */
  readonly lostTokens: number
  /** The cache had forgotten the whole prefix. */
  readonly isExpired: boolean
}

/** A provider looks for a cached prefix at a mark, and at most this many blocks before it. */
const BLOCKS_LOOKED_BACK = 20

/**
 * Tells what the requests of one row cost. A request finds in the cache what it shares with the request
 * before it, unless that request is older than the cache's lifetime.
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
      // A mark that is too far back is not found, although nothing before it has changed: that is no break.
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

  /** The tokens of a request's beginning that are in the cache after it. */
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

  /** The part of these tokens that a later request finds if it only adds to this one. */
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
