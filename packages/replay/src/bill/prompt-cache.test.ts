import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PLAIN_PRICES } from '../../../../test/lab/plain-prices.ts'
import type { Prices } from '../prices/prices.ts'
import { type CacheMark, type Charge, PromptCache, type PromptRequest } from './prompt-cache.ts'

const MILLION = 1_000_000

const PRICES: Prices = PLAIN_PRICES
const MARKED: Prices = { ...PRICES, caching: 'breakpoints', cacheWrite: 1.25 }

function request(given: Partial<PromptRequest> & { tokens: number }): PromptRequest {
  return { at: 0, outputTokens: 0, sharedTokens: 0, stableTokens: given.tokens, marks: [], ...given }
}

function chargeAll(prices: Prices, requests: readonly PromptRequest[]): readonly Charge[] {
  const cache = new PromptCache(prices)
  return requests.map(request => cache.charge(request))
}

const marks = (...places: readonly (readonly [tokens: number, blocks: number])[]): CacheMark[] =>
  places.map(([tokens, blocks]) => ({ tokens, blocks }))

describe('a cache that takes any prefix', () => {
  it('reads what is shared at the cached price, and the rest in full', () => {
    const [first, second] = chargeAll(PRICES, [
      request({ tokens: 1_000, outputTokens: 40 }),
      request({ tokens: 1_200, outputTokens: 60, sharedTokens: 1_000 }),
    ])
    expect(first).toMatchObject({ cachedTokens: 0, lostTokens: 0, isExpired: false })
    expect(first!.money * MILLION).toBeCloseTo(1_000 + 40 * 5)
    expect(second).toMatchObject({ cachedTokens: 1_000, cacheWriteTokens: 200, lostTokens: 0 })
    expect(second!.money * MILLION).toBeCloseTo(100 + 200 + 60 * 5)
  })

  it('has nothing of a prefix below the least, and all of one that reaches it', () => {
    const prices = { ...PRICES, leastCachedTokens: 1_024 }
    const cached = (sharedTokens: number) =>
      chargeAll(prices, [request({ tokens: 2_000 }), request({ tokens: 2_000, sharedTokens })])[1]!
        .cachedTokens
    expect(cached(1_023)).toBe(0)
    expect(cached(1_024)).toBe(1_024)
  })

  it('has whole steps', () => {
    const prices = { ...PRICES, leastCachedTokens: 1_024, cacheStepTokens: 128 }
    const [, second] = chargeAll(prices, [
      request({ tokens: 1_500 }),
      request({ tokens: 1_700, sharedTokens: 1_500 }),
    ])
    expect(second).toMatchObject({
      cachedTokens: 11 * 128,
      cacheWriteTokens: 13 * 128 - 11 * 128,
      lostTokens: 0,
    })
  })

  it('says what it had and was not asked for', () => {
    const [, second] = chargeAll(PRICES, [
      request({ tokens: 1_000 }),
      request({ tokens: 900, sharedTokens: 300 }),
    ])
    expect(second).toMatchObject({ cachedTokens: 300, lostTokens: 700, isExpired: false })
  })

  it('misses nothing of what stood at the end for once only', () => {
    const [, second] = chargeAll(PRICES, [
      request({ tokens: 1_000, stableTokens: 950 }),
      request({ tokens: 1_100, sharedTokens: 950 }),
    ])
    expect(second!.lostTokens).toBe(0)
  })
})

describe('a cache of marked prefixes', () => {
  it('reads up to the last mark that both share, and writes on from there to its own', () => {
    const [first, second] = chargeAll(MARKED, [
      request({ tokens: 1_000, stableTokens: 900, marks: marks([400, 1], [900, 9]) }),
      request({ tokens: 1_300, stableTokens: 1_200, sharedTokens: 900, marks: marks([400, 1], [1_200, 11]) }),
    ])
    expect(first).toMatchObject({ cachedTokens: 0, cacheWriteTokens: 900 })
    expect(first!.money * MILLION).toBeCloseTo(900 * 1.25 + 100)
    expect(second).toMatchObject({ cachedTokens: 900, cacheWriteTokens: 300, lostTokens: 0 })
    expect(second!.money * MILLION).toBeCloseTo(90 + 300 * 1.25 + 100)
  })

  it('has nothing beyond a mark, however much is shared', () => {
    const [, second] = chargeAll(MARKED, [
      request({ tokens: 1_000, marks: marks([400, 1]) }),
      request({ tokens: 1_000, sharedTokens: 1_000, marks: marks([400, 1]) }),
    ])
    expect(second).toMatchObject({ cachedTokens: 400, cacheWriteTokens: 0 })
  })

  it('looks back twenty blocks from a mark, and no further', () => {
    const second = (blocks: number) =>
      chargeAll(MARKED, [
        request({ tokens: 1_000, marks: marks([400, 1], [1_000, 10]) }),
        request({ tokens: 2_000, sharedTokens: 1_000, marks: marks([400, 1], [2_000, blocks]) }),
      ])[1]
    expect(second(30)).toMatchObject({ cachedTokens: 1_000, lostTokens: 0 })
    expect(second(31)).toMatchObject({ cachedTokens: 400, lostTokens: 0 })
  })

  it('has the instructions where nothing else is shared', () => {
    const both = [
      request({ tokens: 1_000, marks: marks([400, 1], [600, 2], [1_000, 10]) }),
      request({ tokens: 800, sharedTokens: 430, marks: marks([400, 1], [500, 2], [800, 6]) }),
    ]
    expect(chargeAll(MARKED, both)[1]).toMatchObject({
      cachedTokens: 400,
      cacheWriteTokens: 400,
      lostTokens: 600,
    })
    const least = { ...MARKED, leastCachedTokens: 512 }
    expect(chargeAll(least, both)[1]).toMatchObject({ cachedTokens: 0, cacheWriteTokens: 800 })
  })

  it('writes nothing where a request carries no mark', () => {
    const [, second] = chargeAll(MARKED, [
      request({ tokens: 1_000 }),
      request({ tokens: 1_200, sharedTokens: 1_000 }),
    ])
    expect(second).toMatchObject({ cachedTokens: 0, cacheWriteTokens: 0, lostTokens: 0 })
    expect(second!.money * MILLION).toBeCloseTo(1_200)
  })
})

describe('no cache', () => {
  it('reads all in full, and loses nothing', () => {
    const [, second] = chargeAll({ ...PRICES, caching: 'none' }, [
      request({ tokens: 1_000, marks: marks([1_000, 4]) }),
      request({ tokens: 1_200, sharedTokens: 1_000, marks: marks([1_000, 4]) }),
    ])
    expect(second).toMatchObject({ cachedTokens: 0, cacheWriteTokens: 0, lostTokens: 0 })
    expect(second!.money * MILLION).toBeCloseTo(1_200)
  })
})

describe.each([PRICES, MARKED])('the lifetime, $caching', prices => {
  const at = (...seconds: readonly number[]) =>
    chargeAll(
      prices,
      seconds.map(second =>
        request({ tokens: 1_000, sharedTokens: 1_000, at: second * 1_000, marks: marks([1_000, 5]) }),
      ),
    )

  it('lasts to its last second', () => {
    expect(at(0, 300)[1]).toMatchObject({ cachedTokens: 1_000, lostTokens: 0, isExpired: false })
    expect(at(0, 300.001)[1]).toMatchObject({ cachedTokens: 0, lostTokens: 1_000, isExpired: true })
  })

  it('begins anew with each use, and with what was written after it had ended', () => {
    expect(at(0, 200, 400, 600).map(({ cachedTokens }) => cachedTokens)).toEqual([0, 1_000, 1_000, 1_000])
    expect(at(0, 301, 500).map(({ cachedTokens }) => cachedTokens)).toEqual([0, 0, 1_000])
  })

  it('may have no end', () => {
    const [, second] = chargeAll({ ...prices, cacheLifetimeSec: Number.POSITIVE_INFINITY }, [
      request({ tokens: 1_000, marks: marks([1_000, 5]) }),
      request({ tokens: 1_000, sharedTokens: 1_000, at: 1e15, marks: marks([1_000, 5]) }),
    ])
    expect(second).toMatchObject({ cachedTokens: 1_000, isExpired: false })
  })
})

/** A price list of any kind; a cached token is never the dearest. */
const anyPrices: fc.Arbitrary<Prices> = fc
  .record({
    caching: fc.constantFrom('automatic' as const, 'breakpoints' as const, 'none' as const),
    input: fc.double({ min: 0, max: 50, noNaN: true }),
    cachedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    writeShare: fc.constantFrom(1, 1.25, 2),
    output: fc.double({ min: 0, max: 200, noNaN: true }),
    cacheLifetimeSec: fc.constantFrom(0, 60, 300, Number.POSITIVE_INFINITY),
    leastCachedTokens: fc.constantFrom(0, 64, 512, 1_024),
    cacheStepTokens: fc.constantFrom(1, 64, 128),
  })
  .map(({ cachedShare, writeShare, ...prices }) => ({
    ...PRICES,
    ...prices,
    cachedInput: prices.input * cachedShare,
    cacheWrite: prices.input * writeShare,
  }))

interface Change {
  /** Of the blocks before, so many stay; `null`: all of them. */
  readonly kept: number | null
  readonly added: readonly number[]
  readonly once: number
  readonly seconds: number
  readonly outputTokens: number
}

const change = (kept: fc.Arbitrary<number | null>): fc.Arbitrary<Change> =>
  fc.record({
    kept,
    added: fc.array(fc.nat(400), { minLength: 1, maxLength: 30 }),
    once: fc.nat(20),
    seconds: fc.constantFrom(0, 10, 60, 61, 300, 301, 5_000),
    outputTokens: fc.nat(500),
  })

const anyRow = fc
  .array(change(fc.option(fc.nat(40), { nil: null })), { minLength: 1, maxLength: 12 })
  .map(requestsOf)

/** As contexts are: marks after the instructions and after what stays, and at the end what is there for once. */
function requestsOf(changes: readonly Change[]): readonly PromptRequest[] {
  let blocks: readonly number[] = []
  let at = 0
  const sum = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)
  return changes.map(({ kept, added, once, seconds, outputTokens }) => {
    const shared = blocks.slice(0, kept ?? blocks.length)
    blocks = [...shared, ...added]
    at += seconds * 1_000
    const stableTokens = sum(blocks)
    return {
      at,
      tokens: stableTokens + once,
      outputTokens,
      sharedTokens: sum(shared),
      stableTokens,
      marks: marks([blocks[0]!, 1], [stableTokens, blocks.length]),
    }
  })
}

describe('any row of requests, at any prices', () => {
  it('pays for each token once: cached, written or in full', () => {
    fc.assert(
      fc.property(anyPrices, anyRow, (prices, requests) => {
        for (const [index, charge] of chargeAll(prices, requests).entries()) {
          const { tokens, outputTokens } = requests[index]!
          const { cachedTokens, cacheWriteTokens, money, lostTokens } = charge
          const full = tokens - cachedTokens - cacheWriteTokens
          expect(Math.min(cachedTokens, cacheWriteTokens, full, lostTokens)).toBeGreaterThanOrEqual(0)
          const output = outputTokens * prices.output
          const priced = [prices.input, prices.cachedInput, prices.cacheWrite]
          const least = tokens * Math.min(...priced) + output
          const most = tokens * Math.max(...priced) + output
          expect(money * MILLION).toBeGreaterThanOrEqual(least - 1e-6)
          expect(money * MILLION).toBeLessThanOrEqual(most + 1e-6)
        }
      }),
    )
  })

  it('finds nothing at first, and nothing that was not shared', () => {
    fc.assert(
      fc.property(anyPrices, anyRow, (prices, requests) => {
        const charges = chargeAll(prices, requests)
        expect(charges[0]).toMatchObject({ cachedTokens: 0, lostTokens: 0, isExpired: false })
        for (const [index, { cachedTokens }] of charges.entries())
          expect(cachedTokens).toBeLessThanOrEqual(requests[index]!.sharedTokens)
      }),
    )
  })

  it('loses nothing while requests only grow, in time and by a few blocks', () => {
    const growing = fc.array(change(fc.constant(null)), { minLength: 2, maxLength: 12 }).map(changes =>
      requestsOf(
        changes.map(change => ({
          ...change,
          added: change.added.slice(0, 20),
          seconds: Math.min(60, change.seconds),
        })),
      ),
    )
    fc.assert(
      fc.property(anyPrices, growing, (prices, requests) => {
        fc.pre(prices.cacheLifetimeSec > 0)
        for (const { lostTokens, isExpired } of chargeAll(prices, requests))
          expect({ lostTokens, isExpired }).toEqual({ lostTokens: 0, isExpired: false })
      }),
    )
  })
})
