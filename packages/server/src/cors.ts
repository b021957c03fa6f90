import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/** So long a browser need not ask again. */
const PREFLIGHT_SECONDS = 600

/** Pages of these origins may call from a browser. Nobody else's preflight is answered, and nobody gets cookies. */
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
