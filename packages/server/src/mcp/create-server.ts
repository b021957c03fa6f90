import type { Server } from '@modelcontextprotocol/server'
import { type Language, textsOf } from 'palimpsest/internals/language/index'
import type { McpAccess } from './access.ts'
import { callTool } from './call-tool.ts'
import type { Library } from './load-library.ts'
import { listTools } from './tools.ts'

/**
 * Makes an MCP server: one per connection, or one per request if there are no connections. It keeps no state.
 * `current` is asked at each request, because the settings may change during a connection.
 */
export function createServer(
  library: Library,
  access: McpAccess,
  {
    current = async () => access,
    language = 'en',
  }: { readonly current?: () => Promise<McpAccess>; readonly language?: Language } = {},
): Server {
  const server = new library.Server(
    { name: 'palimpsest', version: access.version },
    { capabilities: { tools: {} }, instructions: instructionsFor(access, language) },
  )
  /** The library would send the text of the error to the client. */
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      access.onError?.(error)
      throw new library.ProtocolError(
        library.ProtocolErrorCode.InternalError,
        "Something unexpected went wrong. The server's log says more.",
      )
    }
  }
  server.setRequestHandler('tools/list', () =>
    guarded(async () => ({ tools: (await listTools(await current())) as never })),
  )
  server.setRequestHandler('tools/call', ({ params }) =>
    guarded(async () => {
      const { data, text, isError } = await callTool(await current(), params.name, params.arguments)
      return {
        content: [{ type: 'text' as const, text }],
        structuredContent: { ...data },
        ...(isError && { isError }),
      }
    }),
  )
  return server
}

function instructionsFor({ session, scopes }: McpAccess, language: Language): string {
  const { about, reading, writing, sessionIs, information } = textsOf(language).mcp
  return [
    about,
    scopes.has('read') && reading,
    scopes.has('write') && writing,
    session === undefined && sessionIs,
    information,
  ]
    .filter(Boolean)
    .join(' ')
}
