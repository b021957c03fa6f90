import type { Prices } from '../../packages/replay/src/index.ts'

/** Per million tokens, so that a token costs a millionth; any prefix is cached, of any length. */
export const PLAIN_PRICES: Prices = {
  name: 'plain',
  currency: '$',
  input: 1,
  cachedInput: 0.1,
  cacheWrite: 1,
  output: 5,
  cacheLifetimeSec: 300,
  caching: 'automatic',
  leastCachedTokens: 0,
  cacheStepTokens: 1,
}
