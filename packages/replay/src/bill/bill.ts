import type {
  BreakCause,
  CallCost,
  CallKind,
  Cost,
  PrefixBreaks,
  RunTokens,
  TimelinePoint,
} from '../comparison.ts'
import type { Charge, PromptRequest } from './prompt-cache.ts'

const KINDS: readonly CallKind[] = ['reply', 'summary', 'memo', 'extraction']
const NO_CALLS: CallCost = {
  calls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  money: 0,
}

/** Why a context no longer begins like the context before it. */
export interface Break {
  readonly cause: Exclude<BreakCause, 'expired'>
  /** The reason of the fold; `null` for any other cause. */
  readonly reason: string | null
}

/** Adds up what the calls of a run cost, over all of its transcripts. */
export class Bill {
  readonly #calls: Record<CallKind, CallCost>
  readonly #breaks = new Map<string, PrefixBreaks>()
  readonly #timeline = new Timeline()
  #peakContext = 0

  constructor() {
    this.#calls = Object.fromEntries(KINDS.map(kind => [kind, NO_CALLS])) as Record<CallKind, CallCost>
  }

  add(kind: CallKind, request: Pick<PromptRequest, 'tokens' | 'outputTokens'>, charge: Charge): void {
    const sum = this.#calls[kind]
    this.#calls[kind] = {
      calls: sum.calls + 1,
      inputTokens: sum.inputTokens + request.tokens,
      cachedTokens: sum.cachedTokens + charge.cachedTokens,
      cacheWriteTokens: sum.cacheWriteTokens + charge.cacheWriteTokens,
      outputTokens: sum.outputTokens + request.outputTokens,
      money: sum.money + charge.money,
    }
  }

  addReply(
    request: PromptRequest,
    charge: Charge,
    { message, folds, ifBroken }: { message: number; folds: number; ifBroken: Break },
  ): void {
    this.add('reply', request, charge)
    this.#peakContext = Math.max(this.#peakContext, request.tokens)
    if (charge.lostTokens > 0) this.#addBreak(charge, ifBroken)
    this.#timeline.add({
      message,
      at: request.at,
      contextTokens: request.tokens,
      cachedTokens: charge.cachedTokens,
      money: this.total,
      folds,
    })
  }

  get total(): number {
    return KINDS.reduce((sum, kind) => sum + this.#calls[kind].money, 0)
  }

  get cost(): Cost {
    return { total: this.total, calls: { ...this.#calls } }
  }

  /** The most costly first. */
  get breaks(): readonly PrefixBreaks[] {
    return [...this.#breaks.values()].sort((one, other) => other.tokens - one.tokens)
  }

  get timeline(): readonly TimelinePoint[] {
    return this.#timeline.points
  }

  get contexts(): Pick<RunTokens, 'meanContext' | 'peakContext' | 'cachedShare'> {
    const { calls, inputTokens, cachedTokens } = this.#calls.reply
    return {
      meanContext: calls === 0 ? 0 : Math.round(inputTokens / calls),
      peakContext: this.#peakContext,
      cachedShare: inputTokens === 0 ? 0 : cachedTokens / inputTokens,
    }
  }

  #addBreak({ lostTokens, isExpired }: Charge, ifBroken: Break): void {
    const cause: BreakCause = isExpired ? 'expired' : ifBroken.cause
    const reason = isExpired ? null : ifBroken.reason
    const name = `${cause} ${reason}`
    const { count, tokens } = this.#breaks.get(name) ?? { count: 0, tokens: 0 }
    this.#breaks.set(name, { cause, reason, count: count + 1, tokens: tokens + lostTokens })
  }
}

const MAX_POINTS = 400

/**
 * Holds at most `MAX_POINTS` points. When there are more, each pair of neighbours becomes one point, as often
 * as needed.
 */
class Timeline {
  #points: TimelinePoint[] = []
  #requestsEach = 1
  #requests = 0

  add(point: TimelinePoint): void {
    const isNext = this.#requests % this.#requestsEach === 0
    this.#requests += 1
    if (isNext) this.#points.push(point)
    else this.#points.push(joined(this.#points.pop()!, point))
    if (this.#points.length <= MAX_POINTS) return
    const pairs: TimelinePoint[] = []
    for (let index = 0; index < this.#points.length; index += 2) {
      const [one, other] = [this.#points[index]!, this.#points[index + 1]]
      pairs.push(other === undefined ? one : joined(one, other))
    }
    this.#points = pairs
    this.#requestsEach *= 2
  }

  get points(): readonly TimelinePoint[] {
    return this.#points
  }
}

/**
 * Keeps the larger context, so that no peak is lost. The message, the time and the money are those of the
 * later point, so that they never go back.
 */
function joined(one: TimelinePoint, other: TimelinePoint): TimelinePoint {
  const larger = one.contextTokens > other.contextTokens ? one : other
  return {
    ...larger,
    message: other.message,
    at: other.at,
    money: other.money,
    folds: one.folds + other.folds,
  }
}
