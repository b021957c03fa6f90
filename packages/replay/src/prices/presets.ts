import type { Prices } from './prices.ts'

/**
 * Prices change, and providers withdraw models. These prices were looked up on 2026-11-16 in pages that had
 * been stored between July and November 2026. docs/prices.md says where each price comes from and what is
 * only assumed. `--prices FILE.json` and `--prices name=value,…` take the caller's own prices. All are in
 * dollars per million tokens, for requests of an ordinary length and without batch discounts.
 */

/**
 * Anthropic caches up to the marks in a request, for five minutes. A cache of one hour costs more: its
 * `cacheWrite` is twice `input`.
 */
const ANTHROPIC = {
  currency: '$',
  cacheLifetimeSec: 300,
  caching: 'breakpoints',
  cacheStepTokens: 1,
} as const

/**
 * Models up to GPT-5.5. Idle prefixes leave the cache after 5 to 10 minutes, unless the organisation has a
 * longer retention.
 */
const OPENAI_UNTIL_5_5 = {
  currency: '$',
  cacheLifetimeSec: 600,
  caching: 'automatic',
  leastCachedTokens: 1024,
  cacheStepTokens: 128,
} as const

/**
 * Since GPT-5.6 a prefix is found again only where an earlier prefix ended. Writing to the cache costs a
 * quarter more.
 */
const OPENAI_SINCE_5_6 = {
  currency: '$',
  cacheLifetimeSec: 1800,
  caching: 'breakpoints',
  leastCachedTokens: 1024,
  cacheStepTokens: 1,
} as const

/** Google states no lifetime, only «a short amount of time», and promises no hit. */
const GOOGLE = {
  currency: '$',
  cacheLifetimeSec: 300,
  caching: 'automatic',
  cacheStepTokens: 1,
} as const

/** DeepSeek states «a few hours to a few days». This is the lower end. */
const DEEPSEEK = {
  currency: '$',
  cacheLifetimeSec: 7200,
  caching: 'automatic',
  leastCachedTokens: 64,
  cacheStepTokens: 64,
} as const

const PRESETS: readonly Prices[] = [
  {
    name: 'claude-haiku-4-5',
    ...ANTHROPIC,
    input: 1,
    cachedInput: 0.1,
    cacheWrite: 1.25,
    output: 5,
    leastCachedTokens: 4096,
  },
  // Requests of more than 100,000 tokens cost five times as much.
  {
    name: 'claude-haiku-5-5',
    ...ANTHROPIC,
    input: 0.1,
    cachedInput: 0.01,
    cacheWrite: 0.125,
    output: 0.5,
    leastCachedTokens: 512,
  },
  {
    name: 'claude-sonnet-4-5',
    ...ANTHROPIC,
    input: 3,
    cachedInput: 0.3,
    cacheWrite: 3.75,
    output: 15,
    leastCachedTokens: 1024,
  },
  {
    name: 'claude-sonnet-5-5',
    ...ANTHROPIC,
    input: 2,
    cachedInput: 0.1,
    cacheWrite: 2.5,
    output: 10,
    leastCachedTokens: 1024,
  },
  {
    name: 'claude-opus-5-5',
    ...ANTHROPIC,
    input: 4,
    cachedInput: 0.2,
    cacheWrite: 5,
    output: 20,
    leastCachedTokens: 512,
  },
  // Both GPT-5 models are to be shut down on 2026-12-11.
  { name: 'gpt-5-mini', ...OPENAI_UNTIL_5_5, input: 0.25, cachedInput: 0.025, cacheWrite: 0.25, output: 2 },
  { name: 'gpt-5', ...OPENAI_UNTIL_5_5, input: 1.25, cachedInput: 0.125, cacheWrite: 1.25, output: 10 },
  { name: 'gpt-6-luna', ...OPENAI_SINCE_5_6, input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5 },
  { name: 'gpt-6-sol', ...OPENAI_SINCE_5_6, input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 },
  // Google is retiring it, like the rest of Gemini 2.5.
  {
    name: 'gemini-2.5-flash',
    ...GOOGLE,
    input: 0.3,
    cachedInput: 0.03,
    cacheWrite: 0.3,
    output: 2.5,
    leastCachedTokens: 2048,
  },
  // This price is valid until 2026-12-31. Then the model costs twice as much.
  {
    name: 'gemini-3.8-flash',
    ...GOOGLE,
    input: 0.75,
    cachedInput: 0.075,
    cacheWrite: 0.75,
    output: 3.75,
    leastCachedTokens: 4096,
  },
  // The name was switched off on 2026-07-24. This is its last price.
  { name: 'deepseek-chat', ...DEEPSEEK, input: 0.28, cachedInput: 0.028, cacheWrite: 0.28, output: 0.42 },
  // The off-peak price. At peak hours on weekdays the model costs twice as much.
  { name: 'deepseek-flash', ...DEEPSEEK, input: 0.15, cachedInput: 0.003, cacheWrite: 0.15, output: 0.6 },
  // The international price without thinking. The cache is the implicit one; its lifetime is not stated.
  {
    name: 'qwen-plus',
    currency: '$',
    input: 0.4,
    cachedInput: 0.08,
    cacheWrite: 0.4,
    output: 1.2,
    cacheLifetimeSec: 300,
    caching: 'automatic',
    leastCachedTokens: 1024,
    cacheStepTokens: 1,
  },
  {
    name: 'kimi-k3',
    currency: '$',
    input: 3,
    cachedInput: 0.3,
    cacheWrite: 3,
    output: 15,
    cacheLifetimeSec: 300,
    caching: 'automatic',
    leastCachedTokens: 256,
    cacheStepTokens: 256,
  },
  // On a machine of one's own, a request costs time: one unit for each million tokens read, five units for
  // each million written, nothing for tokens that the server still holds.
  {
    name: 'local',
    currency: '¤',
    input: 1,
    cachedInput: 0,
    cacheWrite: 1,
    output: 5,
    cacheLifetimeSec: Number.POSITIVE_INFINITY,
    caching: 'automatic',
    leastCachedTokens: 0,
    cacheStepTokens: 1,
  },
  {
    name: 'uncached',
    currency: '$',
    input: 1,
    cachedInput: 1,
    cacheWrite: 1,
    output: 5,
    cacheLifetimeSec: 300,
    caching: 'none',
    leastCachedTokens: 0,
    cacheStepTokens: 1,
  },
]

export const PRICE_PRESETS: Readonly<Record<string, Prices>> = Object.fromEntries(
  PRESETS.map(prices => [prices.name, prices]),
)

/** A provider's name stands for its small model. */
export const PRICE_ALIASES: Readonly<Record<string, string>> = {
  anthropic: 'claude-haiku-5-5',
  openai: 'gpt-6-luna',
  google: 'gemini-3.8-flash',
  deepseek: 'deepseek-flash',
}
