import type { SessionKey, SpendLimitReached, SpendLimits, Store } from '../store/index.ts'
import type { CallGate } from '../summarizer/index.ts'
import { SummarizerError } from '../summarizer/summarizer-error.ts'

/** A reached limit, as it is reported. */
export interface SpendGuardReport extends Omit<SpendLimitReached, 'until'> {
  /** From this instant on, models are asked again. */
  readonly until: string
}

interface GuardOptions {
  readonly store: Pick<Store, 'spending'>
  readonly clock: () => number
  readonly limits: SpendLimits
}

/** Limits the spending for models. The store counts for all processes together. */
export class SpendGuard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** Watches one piece of work on a session: a fold, an extraction or the rebuild of a segment. */
  watch(key: SessionKey, onReached: (reached: SpendGuardReport) => void = () => {}): SpendWatch {
    return new SpendWatch(this.#options, key, onReached)
  }
}

/** Checks each call of a model. Once a limit is reached, this piece of work makes no more calls. */
export class SpendWatch {
  readonly #options: GuardOptions
  readonly #key: SessionKey
  readonly #onReached: (reached: SpendGuardReport) => void
  #reached: SpendLimitReached | null = null

  constructor(options: GuardOptions, key: SessionKey, onReached: (reached: SpendGuardReport) => void) {
    this.#options = options
    this.#key = key
    this.#onReached = onReached
  }

  /** `null`: no limit was reached. */
  get reached(): SpendLimitReached | null {
    return this.#reached
  }

  /** For work that takes another way without the model. It asks before it begins. */
  async isReached(model: string): Promise<boolean> {
    const { store, clock, limits } = this.#options
    const reached =
      this.#reached ?? (await store.spending.findSpendLimit(this.#key, { model, limits, now: clock() }))
    if (reached !== null) this.#note(reached)
    return reached !== null
  }

  readonly beforeCall: CallGate = async ({ model, tokens }) => {
    const { store, clock, limits } = this.#options
    if (this.#reached !== null) throw this.#refusal(this.#reached)
    const answer = await store.spending.reserveCall(this.#key, { model, tokens, limits, now: clock() })
    if ('reached' in answer) {
      this.#note(answer.reached)
      throw this.#refusal(answer.reached)
    }
    // A call without a correction counts with its estimate. The estimate is rather too high than too low.
    return ({ calls = 1, tokens }) =>
      store.spending.settleCall(this.#key.namespace, answer.reserved, { calls, tokens }).catch(() => {})
  }

  #note(reached: SpendLimitReached): void {
    if (this.#reached !== null) return
    this.#reached = reached
    this.#onReached(toReport(reached))
  }

  #refusal(reached: SpendLimitReached): SummarizerError {
    const retryAfterMs = Math.max(0, reached.until - this.#options.clock())
    const { model } = reached
    return new SummarizerError('spend_guard', `was not asked: ${describeLimit(toReport(reached))}`, {
      model,
      retryAfterMs,
    })
  }
}

export function toReport({ until, ...reached }: SpendLimitReached): SpendGuardReport {
  return { ...reached, until: new Date(until).toISOString() }
}

/** The numbers of a limit, and until when it holds. */
export function describeLimit({ model, scope, unit, used, limit, until }: SpendGuardReport): string {
  const where = scope === 'session' ? ' in this session' : ''
  return `${used} of ${limit} ${unit} an hour are spent on ${model}${where}; it is not asked before ${until}`
}
