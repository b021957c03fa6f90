import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ERROR_CODES, PalimpsestError } from '../errors.ts'

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

export function requestIdOf({ res }: Context): string {
  return res.headers.get('x-request-id') ?? ''
}

export function statusOf(error: unknown): number {
  return ERROR_CODES[PalimpsestError.isInstance(error) ? error.code : 'unexpected'].status
}

/** One shape for every error. Of what nobody foresaw, only the server's own log says more. */
export function errorAnswer(error: unknown, context: Context, onError: OnError): Response {
  if (PalimpsestError.isInstance(error)) {
    const { status } = ERROR_CODES[error.code]
    if (status === 503 || error.code === 'request_running') context.header('retry-after', '1')
    if (typeof error.details['retryAfter'] === 'string')
      context.header('retry-after', error.details['retryAfter'])
    // What is left of it is not read.
    if (error.code === 'body_too_large') context.header('connection', 'close')
    if (error.code === 'key_required') context.header('www-authenticate', 'Bearer')
    return context.json({ error }, status as ContentfulStatusCode)
  }
  const requestId = requestIdOf(context)
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
