import type { Usage } from './summarizer.ts'

/** Why a model gave no summary. */
export const SUMMARIZER_FAILURES = [
  'rate_limited',
  /** The account has nothing left to spend, so waiting does not help. */
  'insufficient_quota',
  'unavailable',
  'unauthorized',
  /** The model is unknown, or the address has no API of a model. */
  'model_not_found',
  /** The provider refuses the request itself, for example a parameter that the provider does not know. */
  'request_refused',
  /** The request holds more than the model's window. */
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
  /** A limit on spending is reached, so the model was not asked. */
  'spend_guard',
  'failed',
] as const

export type SummarizerFailure = (typeof SUMMARIZER_FAILURES)[number]

const marker = Symbol.for('palimpsest.summarizer-error')

/** A failure of the summariser itself, with a reason that can be stored and shown. Nothing was folded. */
export class SummarizerError extends Error {
  override readonly name = 'SummarizerError'
  readonly reason: SummarizerFailure
  /** `provider:model`. */
  readonly model: string
  /** How long the provider asks to wait, in milliseconds; `null`: it did not say. */
  readonly retryAfterMs: number | null
  /** What the calls used up to the failure. */
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

  /** No model failed: a limit on spending stopped the call. */
  static isSpendGuard(error: unknown): error is SummarizerError {
    return SummarizerError.isInstance(error) && error.reason === 'spend_guard'
  }

  static isInstance(error: unknown): error is SummarizerError {
    return typeof error === 'object' && error !== null && marker in error
  }
}
