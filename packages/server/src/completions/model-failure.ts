import { PalimpsestError } from 'palimpsest/internals/errors'
import { type ProviderFailure, providerFailure } from 'palimpsest/internals/provider-failure'
import { redactSecrets } from 'palimpsest/internals/redaction/index'
import { isOverflowError } from 'palimpsest/internals/turn/index'

/** The fields that the SDK's errors about a call share. */
interface CallError {
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** The error in the middle of a stream, as the provider wrote it. */
  readonly error?: { readonly message?: unknown }
}

const MAX_WORDS = 500

/** Statuses that the same request would get again. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 413, 422]

/** The error for a call that the provider refused or broke off. It quotes the provider, without any key. */
export function modelFailure(error: unknown, model: string, apiKey: string | null): PalimpsestError {
  if (PalimpsestError.isInstance(error)) return error
  const { statusCode, responseHeaders, message, error: inner } = (error ?? {}) as CallError
  // A stream that broke off had a good status, which says nothing.
  const status = typeof statusCode === 'number' && statusCode >= 400 ? statusCode : null
  const retryAfter = responseHeaders?.['retry-after'] ?? null
  const said = typeof message === 'string' ? message : typeof error === 'string' ? error : inner?.message
  const reason = withoutKeys(typeof said === 'string' && said !== '' ? said : 'no reason was given', apiKey)
  const { kind, code } = providerFailure(error)
  const isRefusal = kind === 'no_quota' || (status !== null && REFUSALS.includes(status))
  const details = {
    ...{ model, status, reason, retryAfter, providerCode: code },
    ...(isRefusal && { shouldRetry: false }),
  }
  if (isOverflowError(error)) return stillTooLong(details, error)
  return new PalimpsestError(
    'model_failed',
    `The model ${model} failed${status === null ? '' : ` with status ${status}`}: ${reason} ${advice(status, kind)}`,
    details,
    { cause: error },
  )
}

/** The error for a model that was already sent a shorter request and finds even that too long. */
function stillTooLong(details: { model: string; reason: string }, cause: unknown): PalimpsestError {
  const { model, reason } = details
  return new PalimpsestError(
    'context_overflow',
    `The model ${model} finds the request too long, shortened too: ${reason} ` +
      '(Lower the budget to what the model can take, or shorten the instructions and tools.)',
    { ...details, shouldRetry: false },
    { cause },
  )
}

function advice(status: number | null, kind: ProviderFailure['kind']): string {
  if (kind === 'no_quota')
    return '(The account at the provider has no quota or credit left: waiting does not help. What was said is kept.)'
  if (kind === 'no_such_model' || status === 401 || status === 403)
    return '(The operator of this server looks at its settings model, modelBaseUrl and modelApiKey.)'
  const isRefusal = status !== null && REFUSALS.includes(status)
  return isRefusal ? '(The same request would be refused again.)' : '(What was said is kept; send it again.)'
}

function withoutKeys(text: string, apiKey: string | null): string {
  const plain = apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '[key]')
  return redactSecrets(plain, {}).slice(0, MAX_WORDS).toWellFormed()
}

/** The error for an answer that ended because the caller left or the server closes. */
export function stopped(): PalimpsestError {
  return new PalimpsestError('closed', 'The answer was stopped before its end. Send the request again.', {})
}
