/** What a provider takes for tokens, and when it takes less because it has read them before. */
export interface Prices {
  readonly name: string
  /** As it is written before an amount: `$`, `€`, `¥`, or anything else. */
  readonly currency: string
  /** Per million tokens, as are the next three. */
  readonly input: number
  readonly cachedInput: number
  /** Of what a request adds to the cache. Where that costs nothing extra: as `input`. */
  readonly cacheWrite: number
  readonly output: number
  /** How long a prefix stays cached after its last use. */
  readonly cacheLifetimeSec: number
  /** `automatic`: any prefix, by itself. `breakpoints`: only up to the marks that a request carries. */
  readonly caching: 'automatic' | 'breakpoints' | 'none'
  /** A shorter prefix is not cached. */
  readonly leastCachedTokens: number
  /** A cached prefix is a multiple of so many tokens. */
  readonly cacheStepTokens: number
}
