import { saysOverflow } from '../summarizer/model/says-overflow.ts'

/** The common fields of errors that SDKs and clients throw for a call, in any version. */
interface CallError {
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly status?: unknown
  readonly responseBody?: unknown
  /** Present where a call was tried several times. */
  readonly lastError?: unknown
  readonly cause?: unknown
}

const MAX_WRAPPERS = 8

/** Whether a provider refused a request because it was longer than the model's window. */
export function isOverflowError(error: unknown): boolean {
  let current: unknown = error
  for (let depth = 0; depth < MAX_WRAPPERS && typeof current === 'object' && current !== null; depth++) {
    const { message, statusCode, status, responseBody, lastError, cause } = current as CallError
    const code = typeof statusCode === 'number' ? statusCode : status
    if (code === 413) return true
    const isRefusal = code === 400 || code === 422
    if (isRefusal && saysOverflow(`${String(message)}\n${String(responseBody ?? '')}`)) return true
    current = lastError ?? cause
  }
  return false
}
