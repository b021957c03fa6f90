import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * A provider that fails in one way after the other, and says each time all that it was asked, with the headers: in its
 * words, as a machine code, in a header of its own and in the line of the status.
 */
export interface EchoingModel extends AsyncDisposable {
  readonly url: string
  /** At which nothing speaks TLS. */
  readonly tlsUrl: string
  /** How many requests have come. */
  readonly asked: () => number
  setKind(kind: EchoKind): void
}

export const ECHO_KINDS = [
  400,
  401,
  403,
  404,
  429,
  500,
  'no quota',
  'error in a stream',
  'broken stream',
  'invalid JSON',
  'JSON of another shape',
  'page',
  'redirect',
  'reset',
] as const

/** What people say in these tests. */
const SAID = /LEMON[-\w]*/

type EchoKind = (typeof ECHO_KINDS)[number]

export async function startEchoingModel(): Promise<EchoingModel> {
  let kind: EchoKind = 400
  let asked = 0
  const server = createServer(async (incoming, outgoing) => {
    outgoing.on('error', () => {})
    const [body, headers] = [await text(incoming).catch(() => ''), JSON.stringify(incoming.rawHeaders)]
    // A header and the line of the status have less room than a body.
    const line = `${SAID.exec(body)?.[0]} with ${headers}`.replace(/[^ -~]/g, '?')
    asked += 1
    fail(incoming, outgoing, { kind, line, echo: `I was asked ${body} with ${headers}` })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    tlsUrl: `https://127.0.0.1:${port}/v1`,
    asked: () => asked,
    setKind: next => {
      kind = next
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Failing {
  readonly kind: EchoKind
  readonly echo: string
  readonly line: string
}

function fail(incoming: IncomingMessage, outgoing: ServerResponse, { kind, echo, line }: Failing): void {
  const headers = { 'content-type': 'application/json', 'x-echo': line, 'retry-after': '0' }
  // As a path, so that an address that is told in whole would tell it, too.
  const path = `/${encodeURIComponent(line)}`
  const refused = (status: number, code: string) =>
    outgoing
      .writeHead(status, line, headers)
      .end(JSON.stringify({ error: { message: echo, type: echo, code, param: echo } }))
  const answered = (body: string, type = 'application/json') =>
    outgoing.writeHead(200, { ...headers, 'content-type': type }).end(body)
  const chunk = (delta: object) =>
    `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] })}\n\n`
  if (typeof kind === 'number') return void refused(kind, echo)
  if (kind === 'no quota') return void refused(429, 'insufficient_quota')
  if (kind === 'invalid JSON') return void answered(`{ ${echo}`)
  if (kind === 'JSON of another shape') return void answered(JSON.stringify({ detail: echo }))
  if (kind === 'page') return void answered(`<h1>${echo}</h1>`, 'text/html')
  if (kind === 'redirect')
    return void outgoing
      .writeHead(307, { ...headers, location: `http://${incoming.headers.host}${path}` })
      .end(echo)
  if (kind === 'reset') return void incoming.socket.resetAndDestroy()
  outgoing.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
  outgoing.write(chunk({ role: 'assistant', content: 'On' }))
  if (kind === 'error in a stream')
    return void outgoing.end(
      `data: ${JSON.stringify({ error: { message: echo, code: echo, type: echo } })}\n\n`,
    )
  outgoing.write(`data: {"choices": [{ ${echo.replaceAll('\n', ' ')}`, () => outgoing.destroy())
}
