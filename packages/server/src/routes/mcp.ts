import { ID_RULE, isId } from 'palimpsest/internals/log/index'
import { decodedHeader } from '../completions/named-session.ts'
import { type Answer, type Call, type Endpoint, endpoint } from '../endpoint.ts'
import { handleMcp } from '../mcp/index.ts'
import { reserveOf } from '../output-reserve.ts'
import { invalidArguments } from '../problems.ts'
import { tryJson } from '../read-body.ts'

const PATH = '/mcp'
const HEADERS = {
  'x-palimpsest-session': 'the session that all tools are bound to; left out: each takes its id',
}

const mcp = (method: 'get' | 'post' | 'delete') =>
  endpoint({
    method,
    path: PATH,
    body: null,
    summary: 'The Model Context Protocol over streamable HTTP: the memory tools, append and context',
    // Each tool checks the scope that it needs.
    scopes: 'any',
    headers: HEADERS,
    answers: {
      200: 'as the protocol has it',
      ...(method !== 'post' && { 405: 'there are no MCP sessions' }),
    },
    handle: async call => answerOf(await handle(call)),
  })

async function handle(call: Call<unknown, unknown>): Promise<Response> {
  const { palimpsest, settings, access, version, request, header, onError } = call
  const { maxBodyBytes } = settings.current.values
  const text = request.method === 'POST' ? await call.bodyText() : null
  const parsedBody = text === null ? undefined : await tryJson(text)
  if (Array.isArray(parsedBody) && parsedBody.length > 1) await access.countBatch(parsedBody.length)
  const session = decodedHeader(header('x-palimpsest-session'))
  if (session !== null && !isId(session))
    throw invalidArguments([{ field: 'x-palimpsest-session', value: session, allowed: ID_RULE }])
  // The protocol has its own error for a body that is not JSON.
  const readable =
    text === null || parsedBody !== undefined
      ? request
      : new Request(request.url, { method: request.method, headers: request.headers, body: text })
  return handleMcp(
    readable,
    {
      ...{ palimpsest, scopes: access.scopes, version, onError },
      ...reserveOf(settings.current, settings.current),
      ...(session !== null && { session }),
    },
    { maxBodyBytes, ...(parsedBody !== undefined && { parsedBody }) },
  )
}

function answerOf({ status, headers, body }: Response): Answer {
  return { status, headers: Object.fromEntries(headers), ...(body && { body }) }
}

export const mcpRoutes: readonly Endpoint[] = [mcp('post'), mcp('get'), mcp('delete')]
