import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { ACCESS, type McpAccess } from './access.ts'
import { createServer } from './create-server.ts'
import { loadLibrary } from './load-library.ts'
import { languageIn } from './tools.ts'

export interface HandleOptions {
  /** The body, if it has been read and parsed already. */
  readonly parsedBody?: unknown
  /** The most bytes of a body. Left out: 4 MiB. */
  readonly maxBodyBytes?: number
}

const OPTIONS = optionsOf<HandleOptions>({ parsedBody: true, maxBodyBytes: true })

/**
 * Answers one request of streamable HTTP. Each request stands alone, so any process may answer it. There are
 * no MCP sessions, so `GET` and `DELETE`, which are about sessions, get a 405. The caller of this function
 * has checked already who sends the request.
 *
 * @example
 * const access = { palimpsest, scopes: new Set(['read', 'write'] as const), version: '1.0.0' }
 * const response = await handleMcp(request, access)
 */
export async function handleMcp(
  request: Request,
  access: McpAccess,
  options: HandleOptions = {},
): Promise<Response> {
  checkOptions('handleMcp', options, OPTIONS)
  checkOptions('handleMcp: access', access, ACCESS)
  const { parsedBody, maxBodyBytes } = options
  const [library, language] = await Promise.all([loadLibrary(), languageIn(access)])
  const handler = library.createMcpHandler(() => createServer(library, access, { language }), {
    // The server sends no notifications, so no client has to be kept listening.
    maxSubscriptions: 0,
    ...(maxBodyBytes !== undefined && { maxRequestBodySize: maxBodyBytes }),
  })
  return handler.fetch(request, { ...(parsedBody !== undefined && { parsedBody }) })
}
