import type { Usage } from './summarizer.ts'

/** Why a model gave no summary. */
export const SUMMARIZER_FAILURES = [
  'rate_limited',
  /** The account has nothing left to spend: waiting does not help. */
  'insufficient_quota',
  'unavailable',
  'unauthorized',
  /** Or there is no API of a model at that address. */
  'model_not_found',
  /** The provider takes none of this request: a parameter that it does not know. */
  'request_refused',
  /** More than the model's window holds. */
  'overflow',
  'timeout',
  'cut_off',
  'content_filter',
  'tool_call',
  'empty',
  'refusal',
  'error_text',
  'asks_for_conversation',
  'empty_template',
  'too_short',
  'over_budget',
  /** An answer that holds neither a summary nor a text that could be one. */
  'no_summary',
  'no_memo',
  'no_facts',
  /** A limit on what may be spent is reached: it was not asked. */
  'spend_guard',
  'failed',
] as const

export type SummarizerFailure = (typeof SUMMARIZER_FAILURES)[number]

const marker = Symbol.for('palimpsest.summarizer-error')

/** A summariser's own failure, with a reason that can be stored and told. Nothing was folded. */
export class SummarizerError extends Error {
  override readonly name = 'SummarizerError'
  readonly reason: SummarizerFailure
  /** `provider:model`. */
  readonly model: string
  /** When the provider said that it can be asked again. */
  readonly retryAfterMs: number | null
  /** What was used up to the failure. */
  readonly usage: Usage | null
  readonly #said: string
  readonly [marker] = true

  constructor(
    reason: SummarizerFailure,
    message: string,
    details: { model: string; retryAfterMs?: number | null; usage?: Usage; cause?: unknown },
  ) {
    super(`${reason}: ${details.model} ${message}`, { cause: details.cause })
    this.#said = message
    this.reason = reason
    this.model = details.model
    this.retryAfterMs = details.retryAfterMs ?? null
    this.usage = details.usage ?? null
  }

  withUsage(usage: Usage): SummarizerError {
    const { reason, model, retryAfterMs, cause } = this
    return new SummarizerError(reason, this.#said, { model, retryAfterMs, usage, cause })
  }

  /** Nobody failed: there was no more to spend. */
  static isSpendGuard(error: unknown): error is SummarizerError {
    return SummarizerError.isInstance(error) && error.reason === 'spend_guard'
  }

  static isInstance(error: unknown): error is SummarizerError {
    return typeof error === 'object' && error !== null && marker in error
  }
}
