import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ERROR_CODES, PalimpsestError } from 'palimpsest/internals/errors'

export type OnError = (
  error: unknown,
  details: { readonly requestId: string; readonly method: string; readonly path: string },
) => void

export function routeNotFound({ req: { method, path } }: Context): PalimpsestError {
  return new PalimpsestError(
    'route_not_found',
    `There is no route ${method} ${path}. GET /openapi.json lists those that there are.`,
    { method, path },
  )
}

export function methodNotAllowed({ req: { method, path } }: Context, allowed: string): PalimpsestError {
  return new PalimpsestError('method_not_allowed', `${path} does not take ${method}; allowed: ${allowed}`, {
    method,
    path,
    allowed,
  })
}

/**
 * Whether the error comes from the database. Its message names files, hosts and
 * people, which clients must not learn.
 */
function isInside({ code, details }: PalimpsestError): boolean {
  return code.startsWith('store_') && Object.hasOwn(details, 'store')
}

const INSIDE: Readonly<Record<string, string>> = {
  store_busy: 'The database is busy. Try again in a moment.',
  store_unavailable: 'The database cannot be reached. Try again in a moment.',
  store_full: 'The database has no room left. What was stored is safe.',
  store_read_only: 'The database cannot be written.',
}

export function requestIdOf({ res }: Context): string {
  return res.headers.get('x-request-id') ?? ''
}

export function statusOf(error: unknown): number {
  if (!PalimpsestError.isInstance(error)) return ERROR_CODES.unexpected.status
  // If the provider of the model asks this server to wait, its callers have to wait.
  if (error.code === 'model_failed' && error.details['status'] === 429) return 429
  return ERROR_CODES[error.code].status
}

/** Every error has the same shape. For an error that no code foresaw, only the server's own log says more. */
export function errorAnswer(error: unknown, context: Context, onError: OnError): Response {
  if (PalimpsestError.isInstance(error) && !isInside(error)) {
    const status = statusOf(error)
    if (status === 503 || error.code === 'request_running') context.header('retry-after', '1')
    if (typeof error.details['retryAfter'] === 'string')
      context.header('retry-after', error.details['retryAfter'])
    // The rest of the body is not read.
    if (error.code === 'body_too_large' || error.code === 'server_busy') context.header('connection', 'close')
    if (error.details['shouldRetry'] === false) context.header('x-should-retry', 'false')
    if (error.code === 'key_required') context.header('www-authenticate', 'Bearer')
    return context.json({ error }, status as ContentfulStatusCode)
  }
  const requestId = requestIdOf(context)
  if (PalimpsestError.isInstance(error)) {
    onError(error, { requestId, method: context.req.method, path: context.req.path })
    const message = `${INSIDE[error.code] ?? 'The database failed.'} The server's log has it as ${requestId}.`
    return errorAnswer(new PalimpsestError(error.code, message, { requestId }), context, onError)
  }
  onError(error, { requestId, method: context.req.method, path: context.req.path })
  return errorAnswer(
    new PalimpsestError(
      'unexpected',
      `Something unexpected went wrong. The server's log has it as ${requestId}.`,
      {
        requestId,
      },
    ),
    context,
    onError,
  )
}
