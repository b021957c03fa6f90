import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/** How long a browser may reuse the answer to a preflight. */
const PREFLIGHT_SECONDS = 600

/**
 * Lets pages of these origins call from a browser. Preflights of other origins get
 * no answer, and no page gets cookies.
 */
export function allowedOrigins(origins: readonly string[]): MiddlewareHandler {
  const allow = cors({
    origin: [...origins],
    exposeHeaders: ['etag', 'retry-after', 'x-request-id', 'x-palimpsest-session', 'x-palimpsest-seq'],
    maxAge: PREFLIGHT_SECONDS,
  })
  return async (context, next) => {
    if (origins.includes(context.req.header('origin') ?? '')) return allow(context, next)
    context.header('vary', 'origin', { append: true })
    await next()
  }
}
