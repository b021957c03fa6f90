import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { ACCESS, type McpAccess } from './access.ts'
import { createServer } from './create-server.ts'
import { loadLibrary } from './load-library.ts'
import { languageIn } from './tools.ts'

export interface HandleOptions {
  /** The body, where it was read already. */
  readonly parsedBody?: unknown
  /** Left out: 4 MiB. */
  readonly maxBodyBytes?: number
}

const OPTIONS = optionsOf<HandleOptions>({ parsedBody: true, maxBodyBytes: true })

/**
 * One request of streamable HTTP. Each stands alone, so that any process may answer it: there are no MCP sessions,
 * and GET and DELETE, which are about those, are answered with 405. Who asks was found out before.
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
    // Nothing is ever announced, so nobody has to be kept listening.
    maxSubscriptions: 0,
    ...(maxBodyBytes !== undefined && { maxRequestBodySize: maxBodyBytes }),
  })
  return handler.fetch(request, { ...(parsedBody !== undefined && { parsedBody }) })
}
