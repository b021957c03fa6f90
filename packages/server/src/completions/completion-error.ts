import { ERROR_CODES, PalimpsestError } from 'palimpsest/internals/errors'

/** The error with `type` and `param` added, which OpenAI's clients show. */
class CompletionError extends PalimpsestError {
  override toJSON() {
    const { field } = this.details
    return { ...super.toJSON(), type: typeOf(this), param: typeof field === 'string' ? field : null }
  }
}

export function completionError(error: unknown): unknown {
  if (!PalimpsestError.isInstance(error)) return error
  const { code, message, details } = error
  return new CompletionError(code, message, details, { cause: error })
}

function typeOf({ code, details }: PalimpsestError): string {
  const { status } = ERROR_CODES[code]
  if (status === 429 || details['status'] === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
