import { describeError, ERROR_CODES, PalimpsestError } from '../errors.ts'
import { MAX_BACKOFF_MS } from '../policy/index.ts'
import { SUMMARIZER_FAILURES } from '../summarizer/summarizer-error.ts'
import { SummaryRejectedError } from './summarize-source.ts'

/** Why a fold failed, for the store and for listeners. An error of a summariser may bring its own reason. */
export function failureReason(error: unknown): string {
  if (error instanceof SummaryRejectedError) return error.problem
  if (PalimpsestError.isInstance(error)) return error.code
  if (error instanceof Error && 'reason' in error && isCode(error.reason)) return error.reason
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  return describeError(error, { withPlace: false })
}

/** A short code. Longer text may quote the conversation. */
function isCode(reason: unknown): reason is string {
  return typeof reason === 'string' && /^[a-z][a-z0-9_-]{0,59}$/i.test(reason)
}

const KNOWN: readonly string[] = [...SUMMARIZER_FAILURES, ...Object.keys(ERROR_CODES), 'longer_than_source']

/**
 * The reason if it is a code of this program. `null`: it is another text, which may quote the conversation.
 */
export function knownFailure(reason: string): string | null {
  return KNOWN.includes(reason) ? reason : null
}

/**
 * How long the provider wants no calls. 0: it did not say. Values above a day are mistakes and are cut to a
 * day.
 */
export function retryAfterMs(error: unknown): number {
  const { retryAfterMs } = (error ?? {}) as { retryAfterMs?: unknown }
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, MAX_BACKOFF_MS) : 0
}
