import type {
  CallCost,
  Comparison,
  Cost,
  PrefixBreaks,
  ReplayFold,
  Run,
  Sweep,
  SweepPoint,
  TimelinePoint,
} from '../../packages/replay/src/comparison.ts'
import type { Prices } from '../../packages/replay/src/prices/prices.ts'

const PRICES: Prices = {
  name: 'example-large',
  currency: '$',
  input: 3,
  cachedInput: 0.3,
  cacheWrite: 3.75,
  output: 15,
  cacheLifetimeSec: 300,
  caching: 'breakpoints',
  leastCachedTokens: 1_024,
  cacheStepTokens: 1,
}
const SUMMARIZER_PRICES: Prices = {
  ...PRICES,
  name: 'example-small',
  input: 0.8,
  cachedInput: 0.08,
  cacheWrite: 1,
  output: 4,
}
const MESSAGES = 6_000
const TOKENS_PER_MESSAGE = 42
const OVERHEAD = 1_800
const REPLY = 60
const NO_CALLS: CallCost = {
  calls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  money: 0,
}

interface Shape {
  readonly name: string
  readonly kind: Run['kind']
  readonly policy?: string
  readonly settings?: Run['settings']
  /** A fold at so many raw messages leaves so many; infinitely many: never. */
  readonly foldAt: number
  readonly keep: number
  /** Drops instead of summarising. */
  readonly slides?: boolean
  readonly reason?: string
}

/** Made up, yet every figure follows from the same small model of a conversation. */
export function exampleComparison(swept: 'none' | 'one' | 'two' = 'one'): Comparison {
  const shapes: Shape[] = [
    { name: 'resize', kind: 'policy', foldAt: 90, keep: 12, reason: 'maxMessagesTextLength' },
    { name: 'count', kind: 'policy', foldAt: 21, keep: 20, reason: 'count' },
    {
      name: 'rounds fullContextTurns=6',
      kind: 'policy',
      policy: 'rounds',
      settings: { fullContextTurns: 6 },
      foldAt: 60,
      keep: 14,
      reason: 'rounds',
    },
    { name: 'window', kind: 'policy', foldAt: 130, keep: 30, reason: 'window' },
    { name: 'tokens', kind: 'policy', foldAt: 340, keep: 170, reason: 'maxTokens' },
    { name: 'no memory', kind: 'baseline', foldAt: Number.POSITIVE_INFINITY, keep: 0 },
    { name: 'last 40 messages', kind: 'baseline', foldAt: 41, keep: 40, slides: true },
  ]
  return {
    transcripts: [
      {
        path: 'chats/2025-support.jsonl',
        title: null,
        format: 'jsonl',
        kind: 'private',
        messages: 3_600,
        tokens: 3_600 * TOKENS_PER_MESSAGE,
      },
      {
        path: 'exports/群聊.json',
        title: '周末爬山 <b>&</b> "friends"',
        format: 'chatgpt',
        kind: 'group',
        messages: 2_400,
        tokens: 2_400 * TOKENS_PER_MESSAGE,
      },
    ],
    prices: PRICES,
    summarizerPrices: SUMMARIZER_PRICES,
    assumptions: {
      overheadTokens: OVERHEAD,
      summarizer: 'simulated',
      summaryRatio: 0.12,
      calls: 'replies',
      extraction: 'none',
    },
    runs: shapes.map(exampleRun),
    sweep: swept === 'none' ? null : swept === 'one' ? lineSweep() : gridSweep(),
  }
}

function exampleRun(shape: Shape): Run {
  const random = createRandom(shape.foldAt === Number.POSITIVE_INFINITY ? 1 : shape.foldAt)
  const timeline: TimelinePoint[] = []
  const folds: ReplayFold[] = []
  const reply = { ...NO_CALLS }
  const summary = { ...NO_CALLS }
  let [raw, segments, cached, since, largest, broken, brokenTokens] = [0, 0, 0, 0, 0, 0, 0]
  let contextSum = 0
  for (let message = 1; message <= MESSAGES; message += 1) {
    if (message === 3_601) [raw, segments, cached] = [0, 0, 0]
    raw += 1
    if (raw >= shape.foldAt) {
      const moved = raw - shape.keep
      raw = shape.keep
      if (!shape.slides) {
        segments = Math.min(segments + moved * TOKENS_PER_MESSAGE * 0.12, 2_600 + random() * 500)
        summary.calls += 1
        summary.inputTokens += moved * TOKENS_PER_MESSAGE + 600
        summary.outputTokens += moved * TOKENS_PER_MESSAGE * 0.12
        since += 1
        folds.push({
          transcript: message > 3_600 ? 1 : 0,
          at: message,
          fromSeq: Math.max(1, message - shape.keep - moved),
          toSeq: message - shape.keep,
          type: 'lite',
          reason: shape.reason ?? '',
          severity: 40,
        })
      }
      broken += 1
      brokenTokens += Math.max(0, cached - OVERHEAD - segments * 0.6)
      cached = Math.min(cached, OVERHEAD + segments * 0.6)
    }
    if (message % 2 === 1) continue
    const context = Math.round(OVERHEAD + segments + raw * TOKENS_PER_MESSAGE * (0.9 + random() * 0.2))
    const read = random() < 0.03 ? 0 : Math.floor(Math.min(cached, context))
    reply.calls += 1
    reply.inputTokens += context
    reply.cachedTokens += read
    reply.cacheWriteTokens += context - read
    reply.outputTokens += REPLY
    cached = context
    contextSum += context
    largest = Math.max(largest, context)
    if (message % (MESSAGES / 300) === 0) {
      timeline.push({
        message,
        at: Date.UTC(2025, 0, 1) + message * 60_000,
        contextTokens: context,
        cachedTokens: read,
        money: priced(reply, PRICES) + priced(summary, SUMMARIZER_PRICES),
        folds: since,
      })
      since = 0
    }
  }
  reply.money = priced(reply, PRICES)
  summary.money = priced(summary, SUMMARIZER_PRICES)
  return {
    name: shape.name,
    kind: shape.kind,
    policy: shape.kind === 'policy' ? (shape.policy ?? shape.name) : null,
    settings: shape.settings ?? {},
    messages: MESSAGES,
    cost: costOf(reply, summary),
    tokens: {
      log: MESSAGES * TOKENS_PER_MESSAGE,
      raw: raw * TOKENS_PER_MESSAGE,
      folded: summary.inputTokens,
      segments,
      meanContext: contextSum / reply.calls,
      peakContext: largest,
      cachedShare: reply.cachedTokens / reply.inputTokens,
    },
    breaks: breaksOf(shape, broken, brokenTokens),
    folds,
    timeline,
  }
}

function costOf(reply: CallCost, summary: CallCost): Cost {
  return {
    total: reply.money + summary.money,
    calls: { reply, summary, memo: NO_CALLS, extraction: NO_CALLS },
  }
}

function breaksOf(shape: Shape, count: number, tokens: number): PrefixBreaks[] {
  const expired: PrefixBreaks = { cause: 'expired', reason: null, count: 84, tokens: 312_000 }
  if (count === 0) return [expired]
  return [
    shape.slides
      ? { cause: 'slide', reason: null, count, tokens }
      : { cause: 'fold', reason: shape.reason ?? null, count, tokens },
    expired,
  ]
}

function priced(call: CallCost, prices: Prices): number {
  const full = call.inputTokens - call.cachedTokens - call.cacheWriteTokens
  return (
    (full * prices.input +
      call.cachedTokens * prices.cachedInput +
      call.cacheWriteTokens * prices.cacheWrite +
      call.outputTokens * prices.output) /
    1_000_000
  )
}

function lineSweep(): Sweep {
  const points = [2, 3, 4, 5, 6, 7, 8, 10, 12, 16].map(fullContextTurns =>
    examplePoint({ fullContextTurns }, 8.52 + 8 / fullContextTurns + fullContextTurns * 0.302),
  )
  return sweepOf(['fullContextTurns'], points)
}

function gridSweep(): Sweep {
  const points = [2, 3, 4, 6, 8, 12, 16].flatMap(fullContextTurns =>
    [1, 2, 4, 6, 10].map(cachedContextTurns =>
      examplePoint(
        { fullContextTurns, cachedContextTurns },
        7.8 + 12 / fullContextTurns + fullContextTurns * 0.3 + (cachedContextTurns - 4) ** 2 * 0.21,
      ),
    ),
  )
  return sweepOf(['fullContextTurns', 'cachedContextTurns'], points)
}

function examplePoint(values: Record<string, number>, money: number): SweepPoint {
  const turns = values['fullContextTurns'] ?? 1
  return {
    values,
    money,
    meanContext: 2_800 + turns * 260,
    peakContext: 3_900 + turns * 410,
    folds: Math.round(900 / turns),
  }
}

function sweepOf(settings: string[], points: SweepPoint[]): Sweep {
  const best = points.reduce((a, b) => (b.money < a.money ? b : a))
  const within = 0.05
  return {
    policy: 'rounds',
    settings,
    points,
    best,
    flat: { within, points: points.filter(point => point.money <= best.money * (1 + within)) },
  }
}

/** Always the same numbers, so that a picture can be compared with the one before. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
