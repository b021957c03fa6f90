import { type ErrorCode, PalimpsestError } from 'palimpsest/internals/errors'
import { modelErrorParts } from './model-problem.ts'

/**
 * The view told what went wrong when it happened. A calling program that sees only the end reads it from the
 * exit code.
 */
export function chatFailure(error: unknown): PalimpsestError {
  const message = 'Not everything was done: what went wrong last is said above.'
  return new PalimpsestError(codeOf(error), message, {}, { cause: error })
}

function codeOf(error: unknown): ErrorCode {
  if (PalimpsestError.isInstance(error)) return error.code
  const { statusCode, cause } = modelErrorParts(error)
  if (statusCode === undefined) return cause?.code === undefined ? 'unexpected' : 'channel_failed'
  // A wrong key, name or address. Every other status means that the model is not available now.
  return [401, 403, 404].includes(statusCode) ? 'invalid_settings' : 'channel_failed'
}
