import type { ModelError, ModelReply } from '../model-reply.ts'
import { chat } from '../protocols/chat.ts'

/**
 * The AI SDK throws such an error when a call fails. It knows its errors by these symbols and not by their
 * class.
 */
const MARKERS = {
  [Symbol.for('vercel.ai.error')]: true,
  [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
}

interface CallFailure {
  readonly message: string
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly isRetryable: boolean
  readonly cause?: unknown
}

function apiCallError({ message, cause, ...fields }: CallFailure): Error {
  return Object.assign(new Error(message, { cause }), MARKERS, {
    name: 'AI_APICallError',
    url: 'scripted:',
    requestBodyValues: {},
    ...fields,
  })
}

/** An error as if it had come over HTTP, in the words of chat completions. */
export function providerError(error: ModelError, { status, headers = {} }: ModelReply): Error {
  const failure = chat.fail(error)
  const statusCode = status ?? failure.status
  const { error: said } = failure.body as { error: { message: string } }
  return apiCallError({
    message: said.message,
    statusCode,
    responseHeaders: headers,
    responseBody: JSON.stringify(failure.body),
    isRetryable: isRetryable(statusCode),
  })
}

/** The script's own body. A client in process cannot read it, so it becomes an error. */
export function unreadableBody({ body = '', status = 200, headers = {} }: ModelReply): Error {
  return apiCallError({
    message: status < 400 ? 'Invalid JSON response' : `The model answered with the status ${status}`,
    statusCode: status,
    responseHeaders: headers,
    responseBody: body,
    isRetryable: isRetryable(status),
  })
}

export function connectionLost(): Error {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  return apiCallError({ message: `Cannot connect to API: ${cause.message}`, isRetryable: true, cause })
}

function isRetryable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500
}
