import { oneLine } from '../../log/index.ts'
import { providerFailure } from '../../provider-failure.ts'
import { clip } from '../clip.ts'
import { SummarizerError, type SummarizerFailure } from '../summarizer-error.ts'
import { saysOverflow } from './says-overflow.ts'

/**
 * What the AI SDK's errors about a call have in common. They are known by their fields, so that those of any
 * version fit.
 */
interface CallError {
  readonly message: string
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly isRetryable?: boolean
}

/** The provider's failure as a `SummarizerError`. */
export function classifyError(error: unknown, model: string): SummarizerError {
  if (SummarizerError.isInstance(error)) return error
  if (!(error instanceof Error)) return new SummarizerError('failed', `said: ${String(error)}`, { model })
  const call = error as CallError
  const reason = reasonOf(call)
  const said = clip(oneLine(error.message), MAX_CHARACTERS)
  return new SummarizerError(reason, `said: ${said}`, { model, retryAfterMs: retryAfter(call), cause: error })
}

const MAX_CHARACTERS = 200

function reasonOf(error: CallError): SummarizerFailure {
  const { message, statusCode: status, responseBody = '', isRetryable } = error
  const { kind } = providerFailure(error)
  if (kind === 'no_quota') return 'insufficient_quota'
  if (status === undefined) return isRetryable ? 'unavailable' : 'failed'
  if (kind === 'no_such_model') return 'model_not_found'
  if (status === 429) return 'rate_limited'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 413) return 'overflow'
  if (status === 408 || status === 409 || status >= 500) return 'unavailable'
  if (status >= 400) return saysOverflow(`${message}\n${responseBody}`) ? 'overflow' : 'request_refused'
  // The request came through, but what came back is no answer: a page of a proxy, or half of one.
  return isRetryable ? 'unavailable' : 'no_summary'
}

/** In milliseconds. A header gives it in seconds, in milliseconds, or as a date. */
function retryAfter({ responseHeaders = {} }: CallError): number | null {
  const milliseconds = Number.parseFloat(responseHeaders['retry-after-ms'] ?? '')
  if (milliseconds >= 0) return milliseconds
  const value = responseHeaders['retry-after']
  if (value === undefined) return null
  const seconds = Number(value)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now()
  return wait >= 0 ? wait : null
}
