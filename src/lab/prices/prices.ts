import { z } from 'zod'

const text = z.string({ error: 'a text' })

const PRICE = 'a number of at least 0, per million tokens'
const price = z
  .number({
    error: ({ input }) =>
      input === undefined ? `${PRICE}; it may be left out only on top of a preset` : PRICE,
  })
  .min(0, { error: PRICE })

function wholeNumber(least: number) {
  const error = `a whole number of at least ${least}`
  return z.int({ error }).min(least, { error })
}

/** What a provider takes for tokens, and when it takes less because it has read them before. */
const PRICES = z.strictObject({
  name: text.min(1, { error: 'a text' }),
  /** As it is written before an amount: `$`, `€`, `¥`, or anything else. */
  currency: text,
  /** Per million tokens, as are the next three. */
  input: price,
  cachedInput: price,
  /** Of what a request adds to the cache. Where that costs nothing extra: as `input`. */
  cacheWrite: price,
  output: price,
  /** How long a prefix stays cached after its last use. JSON has no number for infinity. */
  cacheLifetimeSec: z.preprocess(
    given => (given === 'Infinity' ? Number.POSITIVE_INFINITY : given),
    z.custom<number>(given => typeof given === 'number' && given >= 0, {
      error: 'a number of at least 0, or Infinity',
    }),
  ),
  /** `automatic`: any prefix, by itself. `breakpoints`: only up to the marks that a request carries. */
  caching: z.enum(['automatic', 'breakpoints', 'none'], { error: 'automatic, breakpoints, none' }),
  /** A shorter prefix is not cached. */
  leastCachedTokens: wholeNumber(0),
  /** A cached prefix is a multiple of so many tokens. */
  cacheStepTokens: wholeNumber(1),
})

export type Prices = Readonly<z.output<typeof PRICES>>

/** What is told of prices that change a preset, and of those without one. */
export const CHANGED_PRICES = PRICES.partial()
export const OWN_PRICES = CHANGED_PRICES.extend({ input: price, output: price })
