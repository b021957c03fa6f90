import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { handleMcp, type McpAccess } from '../../packages/server/src/mcp/index.ts'
import { MAIN } from '../cli/run.ts'

/** The two ways of speaking: with a handshake, as clients have since 2024; and without, since 2026. */
export const ERAS = ['legacy', 'auto'] as const
export type Era = (typeof ERAS)[number]

interface Called {
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly data: any
  readonly isError: boolean
}

/** A real client. */
export interface Speaker extends AsyncDisposable {
  readonly client: Client
  call(name: string, args?: Record<string, unknown>): Promise<Called>
  tools(): Promise<string[]>
}

function speaker(client: Client): Speaker {
  return {
    client,
    call: async (name, args = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
      const [first] = content
      return {
        text: first?.type === 'text' ? first.text : '',
        data: structuredContent,
        isError: isError === true,
      }
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

const newClient = (era: Era) =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: era } })

/** `palimpsest mcp` as a process of its own. */
export async function overStdio(args: readonly string[], era: Era = 'legacy'): Promise<Speaker> {
  const client = newClient(era)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', ...args], stderr: 'inherit' }),
  )
  return speaker(client)
}

export async function overHttp(url: string, key: string, era: Era = 'legacy'): Promise<Speaker> {
  const client = newClient(era)
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return speaker(client)
}

export interface McpServer extends AsyncDisposable {
  readonly url: string
}

/** On loopback, at `/mcp`, with one access for each key. */
export async function listen(accesses: Readonly<Record<string, McpAccess>>): Promise<McpServer> {
  const server: Server = createServer(
    getRequestListener(async request => {
      const access = accesses[request.headers.get('authorization')?.replace('Bearer ', '') ?? '']
      return access ? handleMcp(request, access) : new Response(null, { status: 401 })
    }),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
