/**
 * The meaning of a provider's failure, from its status and its machine code. The code is reported only if it
 * is in a fixed list. Any other text of a provider may repeat the request, with what people said and with the
 * key.
 */

/** The specific codes. If an answer has several codes, the first one in this list is reported. */
const SPECIFIC_CODES = [
  // OpenAI, and servers with the same API
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'account_deactivated',
  'rate_limit_exceeded',
  'model_not_found',
  'invalid_api_key',
  'context_length_exceeded',
  'string_above_max_length',
  'content_filter',
  'content_policy_violation',
  'unsupported_country_region_territory',
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
  'missing_required_parameter',
  'invalid_value',
  'invalid_type',
  'overloaded',
  // Azure
  'DeploymentNotFound',
  // Anthropic
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'overloaded_error',
  // Google
  'API_KEY_INVALID',
  'API_KEY_SERVICE_BLOCKED',
  'BILLING_DISABLED',
  'SERVICE_DISABLED',
  'RATE_LIMIT_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'PERMISSION_DENIED',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
] as const
const GENERAL_CODES = [
  'invalid_request_error',
  'server_error',
  'api_error',
  'service_unavailable',
  'INVALID_ARGUMENT',
  'INTERNAL',
] as const

type ProviderCode = (typeof SPECIFIC_CODES)[number] | (typeof GENERAL_CODES)[number]

const CODES: readonly string[] = [...SPECIFIC_CODES, ...GENERAL_CODES]

export function isProviderCode(code: unknown): code is ProviderCode {
  return typeof code === 'string' && CODES.includes(code)
}

const NO_QUOTA: readonly (string | null)[] = [
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'billing_error',
  'BILLING_DISABLED',
] satisfies ProviderCode[]
const NO_SUCH_MODEL: readonly (string | null)[] = [
  'model_not_found',
  'DeploymentNotFound',
  'not_found_error',
  'NOT_FOUND',
] satisfies ProviderCode[]
/**
 * Some providers have no code for it. "You exceeded your current quota" does not tell it, since Google also
 * says so for a limit per minute.
 */
const SAYS_NO_CREDIT = /credit balance is too low|insufficient[ _](?:balance|credits?|funds)\b/i

export interface ProviderFailure {
  readonly status: number | null
  readonly code: ProviderCode | null
  /**
   * `no_such_model`: the model does not exist, or the address has no API that knows it. `no_quota`: waiting
   * does not help.
   */
  readonly kind: 'no_such_model' | 'no_quota' | null
}

/**
 * Reads errors of the AI SDK and of the providers' own clients. It uses their fields, so any version works.
 */
export function providerFailure(error: unknown): ProviderFailure {
  const { statusCode, status: plain, message, responseBody } = fieldsOf(error)
  const status = [statusCode, plain].find(each => typeof each === 'number') ?? null
  const code = codeOf(error)
  const words = `${textOf(message)}\n${textOf(responseBody)}`
  if (status === 402 || NO_QUOTA.includes(code) || (isRefused(status) && SAYS_NO_CREDIT.test(words)))
    return { status, code, kind: 'no_quota' }
  if (status === 404 || NO_SUCH_MODEL.includes(code)) return { status, code, kind: 'no_such_model' }
  return { status, code, kind: null }
}

/** What to do about it, for a log or a person. `null`: the status says everything. */
export function providerAdvice(kind: ProviderFailure['kind']): string | null {
  if (kind === 'no_such_model')
    return 'there is no such model, or no API of a model at that address: check the settings model and modelBaseUrl'
  if (kind === 'no_quota')
    return "the provider's account has no quota or credit left: waiting does not help, look at its plan and billing"
  return null
}

function isRefused(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500
}

/**
 * Looks in the error itself, in the parsed answer of the SDK, in the answer's text, and in an event of a
 * stream.
 */
function codeOf(error: unknown): ProviderCode | null {
  const { data, responseBody, error: inner } = fieldsOf(error)
  const found = [error, data, parsed(responseBody), inner].flatMap(codesIn)
  return CODES.find((code): code is ProviderCode => found.includes(code)) ?? null
}

const MAX_DETAILS = 10

function codesIn(answer: unknown): readonly unknown[] {
  const { error, code, type, status } = fieldsOf(answer)
  const { code: innerCode, type: innerType, status: innerStatus, details, error: innermost } = fieldsOf(error)
  const reasons = Array.isArray(details)
    ? details.slice(0, MAX_DETAILS).map(detail => fieldsOf(detail)['reason'])
    : []
  return [innerCode, innerType, innerStatus, ...reasons, fieldsOf(innermost)['type'], code, type, status]
}

/** An error is short. A longer body is a web page. */
const MAX_PARSED_CHARACTERS = 65_536

function parsed(body: unknown): unknown {
  if (typeof body !== 'string' || body.length > MAX_PARSED_CHARACTERS) return null
  try {
    const value: unknown = JSON.parse(body)
    // Google's servers answer with a list if a stream was asked for.
    return Array.isArray(value) ? value[0] : value
  } catch {
    return null
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

const MAX_READ_CHARACTERS = 2_000

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_READ_CHARACTERS) : ''
}
