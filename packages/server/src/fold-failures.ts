import type { FoldOutcome } from 'palimpsest/internals/compaction/index'
import { providerAdvice } from 'palimpsest/internals/provider-failure'
import { ToldOnce } from 'palimpsest/internals/told-once'

/** What an operator can do about each reason. */
const ADVICE: Readonly<Record<string, string | null>> = {
  model_not_found: providerAdvice('no_such_model'),
  insufficient_quota: providerAdvice('no_quota'),
  unauthorized: 'the provider refused the key: check the setting modelApiKey',
  unavailable: 'the provider cannot be reached, or is out of order',
  rate_limited: 'the provider asks to wait',
  timeout: 'the model took longer than modelTimeoutSec',
}

/**
 * Tells an operator that folds fail, and why. It tells once per session and kind of failure, not once per
 * message, until the model has folded that session again.
 */
export class FoldFailures {
  readonly #told = new ToldOnce()
  readonly #tell: (text: string) => void

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  note({ outcome, reason, usage }: FoldOutcome, { sessionId }: { readonly sessionId: string }): void {
    // A fold that was made without the model does not show that the model works again.
    if (outcome === 'applied' && usage !== null) this.#told.forget(sessionId)
    // A missing package is reported as an error of its own.
    if (outcome !== 'failed' || reason === 'missing_peer' || !this.#told.note(sessionId, reason)) return
    const advice = ADVICE[reason] ?? null
    const why = advice === null ? reason : `${reason}, ${advice}`
    this.#tell(
      `session ${JSON.stringify(sessionId)}: a fold failed: ${why}. What was said is kept; it is tried again later.`,
    )
  }
}
