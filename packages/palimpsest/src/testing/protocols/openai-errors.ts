import type { ModelError } from '../model-reply.ts'
import type { Failure } from './protocol.ts'

interface Words {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly message: string
}

const WORDS: Readonly<Record<ModelError['kind'], Words>> = {
  overflow: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  },
  rate_limited: {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests. Please try again later.',
  },
  no_quota: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  overloaded: {
    status: 503,
    type: 'service_unavailable',
    code: 'overloaded',
    message: 'The engine is currently overloaded, please try again later.',
  },
  internal: {
    status: 500,
    type: 'server_error',
    code: 'server_error',
    message: 'The server had an error while processing your request.',
  },
  unauthorized: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message: 'Incorrect API key provided.',
  },
  invalid: { status: 400, type: 'invalid_request_error', code: null, message: 'The request is not valid.' },
  not_found: { status: 404, type: 'invalid_request_error', code: null, message: 'There is no such thing.' },
}

export interface OpenAIError {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

/** `param` is the field of the request that holds the conversation. */
export function openAIError(
  { kind, message }: ModelError,
  { param, overflow }: { readonly param: string; readonly overflow?: string },
): OpenAIError {
  const { type, code, message: usual } = WORDS[kind]
  const words = kind === 'overflow' ? (overflow ?? usual) : usual
  return { message: message ?? words, type, param: kind === 'overflow' ? param : null, code }
}

export function openAIFailure(error: ModelError, names: Parameters<typeof openAIError>[1]): Failure {
  return { status: WORDS[error.kind].status, body: { error: openAIError(error, names) } }
}
