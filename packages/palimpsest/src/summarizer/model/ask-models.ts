import { PalimpsestError } from '../../errors.ts'
import { SummarizerError } from '../summarizer-error.ts'
import { callModel, type ModelCall } from './call-model.ts'
import type { LanguageModelLike } from './language-model.ts'
import type { Tally } from './tally.ts'
import { pause } from './within.ts'

const FIRST_PAUSE_MS = 500
/**
 * If the provider asks for a longer wait, the request gives up. The fold's own back-off is there for that.
 */
const MAX_PAUSE_MS = 10_000

export interface AskOptions {
  readonly fallback: LanguageModelLike | null
  readonly timeoutMs: number
  readonly maxRetries: number
}

/**
 * The models that one request may ask: the first one, and where it fails the fallback. The fallback then
 * stays for the rest of the request, so that a first model that hangs is waited for once.
 */
export class Models {
  readonly #first: LanguageModelLike
  readonly #options: AskOptions
  readonly #tally: Tally
  #fellBack = false

  constructor(first: LanguageModelLike, options: AskOptions, tally: Tally) {
    this.#first = first
    this.#options = options
    this.#tally = tally
  }

  /** `read` throws a `SummarizerError` on an answer that it cannot use. That is a failure like any other. */
  async ask<Answer>(
    call: Omit<ModelCall, 'timeoutMs' | 'onUsage'>,
    read: (text: string, model: LanguageModelLike) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { fallback } = this.#options
    if (this.#fellBack) return this.#askOne(fallback!, call, read)
    try {
      return await this.#askOne(this.#first, call, read)
    } catch (error) {
      call.signal?.throwIfAborted()
      // Where the spend guard stops the first model, the fallback does not spend in its place.
      if (fallback === null || PalimpsestError.isInstance(error) || SummarizerError.isSpendGuard(error))
        throw error
      // Where both fail, the first one's reason is the one to mend.
      const answer = await this.#askOne(fallback, call, read).catch(() => {
        call.signal?.throwIfAborted()
        throw error
      })
      this.#fellBack = true
      return answer
    }
  }

  async #askOne<Answer>(
    model: LanguageModelLike,
    call: Omit<ModelCall, 'timeoutMs' | 'onUsage'>,
    read: (text: string, model: LanguageModelLike) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { timeoutMs, maxRetries } = this.#options
    for (let retries = 0; ; retries++) {
      try {
        const onUsage: ModelCall['onUsage'] = usage => this.#tally.add(model, usage)
        return await read(await callModel(model, { ...call, timeoutMs, onUsage }), model)
      } catch (error) {
        const wait = retries < maxRetries ? pauseAfter(error, retries) : null
        if (wait === null) throw error
        await pause(wait, call.signal)
      }
    }
  }
}

/** In milliseconds; `null`: asking again would not help, or not soon. */
function pauseAfter(error: unknown, retries: number): number | null {
  if (!SummarizerError.isInstance(error)) return null
  if (error.reason !== 'rate_limited' && error.reason !== 'unavailable') return null
  const wait = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** retries
  return wait <= MAX_PAUSE_MS ? wait : null
}
