import fc from 'fast-check'
import type {
  CallCost,
  Comparison,
  PrefixBreaks,
  ReplayFold,
  Run,
  Sweep,
  SweepPoint,
  TimelinePoint,
} from '../../packages/replay/src/comparison.ts'
import type { Prices } from '../../packages/replay/src/prices/prices.ts'

/** Nothing, tiny, ordinary, huge: what divides and what overflows. */
const amount = fc.oneof(
  fc.constantFrom(0, 0, 4.2e-4, 1e-12, 1, 123_456_789),
  fc.double({ min: 1e-15, max: 1e6, noNaN: true }),
)
const count = fc.oneof(fc.constantFrom(0, 0, 1, 2, 40), fc.nat(2_000_000))
const share = fc.double({ min: 0, max: 1, noNaN: true })

/** Whatever a file may be called, but no word that the tests look for in the output. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '</script><script>alert(1)</script>',
      '<svg onload="x">',
      '周末爬山',
      '"quoted", and\r\nmore',
      '`',
    ),
  )
  .filter(value => !/nan|undefined|infinity|null|∞/i.test(value))

const prices: fc.Arbitrary<Prices> = fc.record({
  name: text,
  currency: fc.constantFrom('$', '€', 'USD', '¥', ''),
  input: amount,
  cachedInput: amount,
  cacheWrite: amount,
  output: amount,
  cacheLifetimeSec: count,
  caching: fc.constantFrom('automatic', 'breakpoints', 'none'),
  leastCachedTokens: count,
  cacheStepTokens: count,
})

const callCost: fc.Arbitrary<CallCost> = fc.record({
  calls: count,
  inputTokens: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  money: amount,
})

const breaks: fc.Arbitrary<PrefixBreaks> = fc.record({
  cause: fc.constantFrom('fold', 'cut', 'slide', 'expired'),
  reason: fc.option(text),
  count,
  tokens: count,
})

const fold: fc.Arbitrary<ReplayFold> = fc.record({
  transcript: fc.nat(3),
  at: count,
  fromSeq: fc.option(count),
  toSeq: fc.option(count),
  type: text,
  reason: text,
  severity: count,
})

const point: fc.Arbitrary<TimelinePoint> = fc.record({
  message: count,
  at: count,
  contextTokens: count,
  cachedTokens: count,
  money: amount,
  folds: fc.nat(2),
})

const run: fc.Arbitrary<Run> = fc.record({
  name: text,
  kind: fc.constantFrom('policy', 'baseline'),
  policy: fc.option(text),
  settings: fc.dictionary(text, fc.oneof(text, count), { maxKeys: 2 }),
  messages: count,
  cost: fc
    .record({ reply: callCost, summary: callCost, memo: callCost, extraction: callCost })
    .map(calls => ({
      total: Object.values(calls).reduce((sum, call) => sum + call.money, 0),
      calls,
    })),
  tokens: fc.record({
    log: count,
    raw: count,
    folded: count,
    segments: count,
    meanContext: amount,
    peakContext: amount,
    cachedShare: share,
  }),
  breaks: fc.array(breaks, { maxLength: 3 }),
  folds: fc.array(fold, { maxLength: 3 }),
  timeline: fc.array(point, { maxLength: 6 }).map(points => points.sort((a, b) => a.message - b.message)),
})

export const arbitrarySweep: fc.Arbitrary<Sweep> = fc
  .record({
    policy: text,
    settings: fc.uniqueArray(fc.constantFrom('first', 'second', '第三'), { minLength: 1, maxLength: 3 }),
    tried: fc.uniqueArray(fc.tuple(fc.nat(40), fc.nat(3)), { minLength: 1, maxLength: 12, selector: String }),
    figures: fc.array(fc.record({ money: amount, meanContext: amount, peakContext: amount, folds: count }), {
      minLength: 12,
      maxLength: 12,
    }),
    within: fc.constantFrom(0, 0.05, 0.1),
  })
  .map(({ policy, settings, tried, figures, within }) => {
    const points: SweepPoint[] = tried.map(([first, second], index) => ({
      values: Object.fromEntries(
        settings.map((setting, place) => [setting, place === 0 ? first : place === 1 ? second : 1]),
      ),
      ...figures[index]!,
    }))
    const best = points.reduce((a, b) => (b.money < a.money ? b : a))
    const flat = points.filter(tryOut => tryOut.money <= best.money * (1 + within))
    return { policy, settings, points, best, flat: { within, points: flat } }
  })

export const arbitraryComparison: fc.Arbitrary<Comparison> = fc.record({
  transcripts: fc.array(
    fc.record({
      path: text,
      title: fc.option(text),
      format: text,
      kind: fc.constantFrom('private', 'group'),
      messages: count,
      tokens: count,
    }),
    { maxLength: 6 },
  ),
  prices,
  summarizerPrices: prices,
  assumptions: fc.record({
    overheadTokens: count,
    summarizer: fc.constantFrom('simulated', 'extractive'),
    summaryRatio: fc.option(share),
    calls: fc.oneof(fc.constant<'replies'>('replies'), count),
    extraction: fc.constantFrom('none', 'turn', 'batch'),
  }),
  runs: fc.array(run, { maxLength: 12 }),
  sweep: fc.option(arbitrarySweep),
})
