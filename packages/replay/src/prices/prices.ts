/** What a provider charges for tokens, and when it charges less because it has read them before. */
export interface Prices {
  readonly name: string
  /** The sign before an amount: `$`, `€`, `¥` or any other text. */
  readonly currency: string
  /** Per million tokens. So are the next three. */
  readonly input: number
  readonly cachedInput: number
  /**
   * The price of what a request adds to the cache. It equals `input` where a cache write costs nothing extra.
   */
  readonly cacheWrite: number
  readonly output: number
  /** How long a prefix stays cached after its last use. */
  readonly cacheLifetimeSec: number
  /**
   * `automatic`: the provider caches any prefix by itself. `breakpoints`: only up to the marks in a request.
   */
  readonly caching: 'automatic' | 'breakpoints' | 'none'
  /** A shorter prefix is not cached. */
  readonly leastCachedTokens: number
  /** The length of a cached prefix is a multiple of this number. */
  readonly cacheStepTokens: number
}
