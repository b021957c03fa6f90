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

/** One shape for every error. Of what nobody foresaw, only the server's own log says more. */
export function errorAnswer(error: unknown, context: Context, onError: OnError): Response {
  if (PalimpsestError.isInstance(error)) {
    const { status } = ERROR_CODES[error.code]
    if (status === 503) context.header('retry-after', '1')
    return context.json({ error }, status as ContentfulStatusCode)
  }
  const requestId = context.res.headers.get('x-request-id') ?? ''
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
