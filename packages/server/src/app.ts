import { OpenAPIHono } from '@hono/zod-openapi'
import { describeError } from 'palimpsest/internals/errors'
import { allowedOrigins } from './cors.ts'
import {
  allowedHosts,
  namedHost,
  ownOrigin,
  readablePath,
  requestId,
  securityHeaders,
  wholePath,
} from './guards.ts'
import { errorAnswer, type OnError, routeNotFound } from './http-errors.ts'
import type { PageFiles } from './page/page-files.ts'
import { servePage } from './page/serve-page.ts'
import { register, type Serving } from './register.ts'
import { compactRoutes } from './routes/compact.ts'
import { completionRoutes } from './routes/completions.ts'
import { contextRoutes } from './routes/context.ts'
import { erasureRoutes } from './routes/erasure.ts'
import { eventRoutes } from './routes/events.ts'
import { expandRoutes } from './routes/expand.ts'
import { foldRoutes } from './routes/folds.ts'
import { healthRoutes } from './routes/health.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { memoryRoutes } from './routes/memory.ts'
import { messageRoutes } from './routes/messages.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { describeApi } from './routes/openapi.ts'
import { replayRoutes } from './routes/replay.ts'
import { searchRoutes } from './routes/search.ts'
import { sessionSettingsRoutes } from './routes/session-settings.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { settingsRoutes } from './routes/settings.ts'

interface AppDependencies extends Omit<Serving, 'onError'> {
  /** The host names that the server answers to; `any` accepts every name. */
  readonly hosts: readonly string[] | 'any'
  /** The sites whose pages may call the server from a browser. */
  readonly corsOrigins: readonly string[]
  /** The inspector's files. `null`: the inspector is not served. */
  readonly page: PageFiles | null
  /** Gets the errors that no code foresaw. */
  readonly onError?: OnError
}

const INFO = { title: 'Palimpsest', description: 'Memory that lasts for chat bots and agents.' }

/** The server as a function from requests to answers. It knows no ports and no signals. */
export function createApp(dependencies: AppDependencies): OpenAPIHono {
  const { hosts, corsOrigins, page, admission, onError = warn, version } = dependencies
  const app = new OpenAPIHono({ strict: false })
  // Made at the first request for it, when all routes are registered.
  let document: object | null = null
  app.onError((error, context) => errorAnswer(error, context, onError))
  app.notFound(context => errorAnswer(routeNotFound(context), context, onError))
  app.use(securityHeaders)
  app.use(requestId)
  app.use(hosts === 'any' ? namedHost : allowedHosts(hosts, corsOrigins))
  if (corsOrigins.length > 0) app.use(allowedOrigins(corsOrigins))
  app.use(wholePath)
  app.use(ownOrigin(corsOrigins))
  app.use(readablePath)
  register(
    app,
    [
      ...messageRoutes,
      ...sessionRoutes,
      ...contextRoutes,
      ...compactRoutes,
      ...foldRoutes,
      ...replayRoutes,
      ...searchRoutes,
      ...expandRoutes,
      ...erasureRoutes,
      ...memoryRoutes,
      ...settingsRoutes,
      ...sessionSettingsRoutes,
      ...completionRoutes,
      ...eventRoutes,
      ...metricsRoutes,
      ...mcpRoutes,
      ...healthRoutes,
      describeApi(() => {
        document ??= app.getOpenAPI31Document({ openapi: '3.1.0', info: { ...INFO, version } })
        return document
      }),
    ],
    { ...dependencies, onError },
  )
  if (page) servePage(app, { files: page, admission })
  return app
}

const warn: OnError = (error, { requestId, method, path }) =>
  process.emitWarning(`${requestId} ${method} ${path}: ${describeError(error)}`, 'PalimpsestWarning')
