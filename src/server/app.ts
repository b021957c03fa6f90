import { OpenAPIHono } from '@hono/zod-openapi'
import type { Palimpsest } from '../palimpsest.ts'
import { register } from './endpoint.ts'
import { allowedHosts, readablePath, requestId } from './guards.ts'
import { errorAnswer, type OnError, routeNotFound } from './http-errors.ts'
import type { LiveSettings } from './live-settings.ts'
import { compactRoutes } from './routes/compact.ts'
import { contextRoutes } from './routes/context.ts'
import { erasureRoutes } from './routes/erasure.ts'
import { expandRoutes } from './routes/expand.ts'
import { healthRoutes } from './routes/health.ts'
import { memoryRoutes } from './routes/memory.ts'
import { messageRoutes } from './routes/messages.ts'
import { searchRoutes } from './routes/search.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { settingsRoutes } from './routes/settings.ts'

export interface AppDependencies {
  readonly palimpsest: Palimpsest
  readonly settings: LiveSettings
  readonly version?: string
  /** The names under which it answers. The default: those of the machine itself. `any` takes every name. */
  readonly hosts?: readonly string[] | 'any'
  /** Hears of what nobody foresaw. */
  readonly onError?: OnError
}

/** Under these a program on the same machine calls, at any port. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** The server as a function from requests to answers; ports and signals are elsewhere. */
export function createApp(dependencies: AppDependencies): OpenAPIHono {
  const { hosts = LOOPBACK_HOSTS, onError = warn, version = '0.0.0' } = dependencies
  const app = new OpenAPIHono({ strict: false })
  app.onError((error, context) => errorAnswer(error, context, onError))
  app.notFound(context => errorAnswer(routeNotFound(context), context, onError))
  app.use(requestId)
  if (hosts !== 'any') app.use(allowedHosts(hosts))
  app.use(readablePath)
  register(
    app,
    [
      ...messageRoutes,
      ...sessionRoutes,
      ...contextRoutes,
      ...compactRoutes,
      ...searchRoutes,
      ...expandRoutes,
      ...erasureRoutes,
      ...memoryRoutes,
      ...settingsRoutes,
      ...healthRoutes,
    ],
    { ...dependencies, version },
  )
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Palimpsest', version, description: 'Memory that lasts for chat bots and agents.' },
  })
  return app
}

const warn: OnError = (error, { requestId, method, path }) =>
  process.emitWarning(`${requestId} ${method} ${path}: ${String(error)}`, 'PalimpsestWarning')
