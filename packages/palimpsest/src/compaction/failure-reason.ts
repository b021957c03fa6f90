import { describeError, ERROR_CODES, PalimpsestError } from '../errors.ts'
import { MAX_BACKOFF_MS } from '../policy/index.ts'
import { SUMMARIZER_FAILURES } from '../summarizer/summarizer-error.ts'
import { SummaryRejectedError } from './summarize-source.ts'

/** Why a fold failed, as it is stored and told. Errors of summarisers name a reason of their own. */
export function failureReason(error: unknown): string {
  if (error instanceof SummaryRejectedError) return error.problem
  if (PalimpsestError.isInstance(error)) return error.code
  if (error instanceof Error && 'reason' in error && isCode(error.reason)) return error.reason
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  return describeError(error, { withPlace: false })
}

/** A word of a program's. What is longer may repeat what was to be summarised. */
function isCode(reason: unknown): reason is string {
  return typeof reason === 'string' && /^[a-z][a-z0-9_-]{0,59}$/i.test(reason)
}

const KNOWN: readonly string[] = [...SUMMARIZER_FAILURES, ...Object.keys(ERROR_CODES), 'longer_than_source']

/** The reason, where it is one of ours and not what somebody said. */
export function knownFailure(reason: string): string | null {
  return KNOWN.includes(reason) ? reason : null
}

/** How long the provider asked to be left alone; 0: it did not say. One that asks for more than a day is mistaken. */
export function retryAfterMs(error: unknown): number {
  const { retryAfterMs } = (error ?? {}) as { retryAfterMs?: unknown }
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, MAX_BACKOFF_MS) : 0
}
