import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions, optionsOf } from '../known-options.ts'
import { untilTheLastPiece, untilTheMiddle } from './broken-off.ts'
import { askScript, errorOf, type ModelReply, type ModelScript } from './model-reply.ts'
import type { ModelRequest, ModelRequestBody } from './model-request.ts'
import { chat } from './protocols/chat.ts'
import { isObject } from './protocols/json.ts'
import { messages } from './protocols/messages.ts'
import type { Exchange, Protocol, StreamEvent } from './protocols/protocol.ts'
import { createResponses } from './protocols/responses.ts'

export type { ModelReply, ModelRequest }

/**
 * A model behind a real socket on 127.0.0.1. It speaks OpenAI's chat completions and Responses and
 * Anthropic's Messages, with or without streams. It answers by a script, can fail as providers fail, and
 * keeps each request.
 */
export interface ModelServer extends AsyncDisposable {
  /** For `baseURL`. It ends in `/v1`. */
  readonly url: string
  /** The oldest request comes first. Requests without an answer are included. */
  readonly requests: readonly ModelRequest[]
  /** Sets the reply to all later requests. */
  setReply(reply: ModelScript): void
  /** Also ends requests that hang. */
  close(): Promise<void>
}

interface ModelServerOptions {
  readonly reply?: ModelScript
}

const OPTIONS = optionsOf<ModelServerOptions>({ reply: true })

/**
 * Starts a model server on a free port. Without a script, it answers with an empty text.
 * @example const server = await startModelServer({ reply: 'Hello' })
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  checkOptions('startModelServer', options, OPTIONS)
  let script: ModelScript = options.reply ?? ''
  const requests: ModelRequest[] = []
  const protocols: Readonly<Record<string, Protocol>> = {
    '/chat/completions': chat,
    '/messages': messages,
    '/responses': createResponses(),
  }

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const bytes = await bytesOf(incoming)
    const path = incoming.url ?? ''
    const ending = Object.keys(protocols).find(each => pathname(path).endsWith(each))
    const protocol = protocols[ending ?? ''] ?? chat
    const refuse = (kind: 'invalid' | 'not_found', message: string) => {
      const { status, body } = protocol.fail({ kind, message })
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (ending === undefined || incoming.method !== 'POST')
      return refuse(
        'not_found',
        `${incoming.method} ${path}: allowed: POST to ${Object.keys(protocols).join(', ')}`,
      )
    const body = parsedBody(bytes)
    if (body === null) return refuse('invalid', 'The body of the request is no JSON object.')

    const { problem, ...heard } = protocol.read(body)
    const request = { protocol: protocol.name, path, headers: incoming.headers, body, ...heard }
    const number = requests.push(request)
    try {
      const reply = problem ? { error: problem } : await askScript(script, request, number - 1)
      await sendReply(outgoing, protocol, { number, body, reply })
    } catch (error) {
      // A client must not try this request again, so the error is `invalid`.
      if (!outgoing.headersSent) refuse('invalid', `The script of the model server failed: ${String(error)}`)
      else outgoing.destroy()
    }
  }

  const server = createServer((incoming, outgoing) => {
    // A client may close its connection. That is no error of the server.
    outgoing.on('error', () => {})
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    setReply: reply => {
      script = reply
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The path without the query that some clients append. */
function pathname(path: string): string {
  return path.split('?', 1)[0]!
}

/** `null`: the body is no JSON object. */
function parsedBody(bytes: Buffer): ModelRequestBody | null {
  if (bytes.length === 0) return {}
  try {
    const body: unknown = JSON.parse(bytes.toString())
    return isObject(body) ? body : null
  } catch {
    return null
  }
}

async function sendReply(outgoing: ServerResponse, protocol: Protocol, exchange: Exchange): Promise<void> {
  const { reply, body } = exchange
  if (reply.fault === 'hang') return
  if (reply.delayMs) await new Promise(resolve => setTimeout(resolve, reply.delayMs))
  if (reply.fault === 'reset') {
    outgoing.socket?.resetAndDestroy()
    return
  }
  const error = errorOf(reply)
  if (reply.body === undefined && body.stream === true && (!error || error.isLate)) {
    sendStream(outgoing, protocol, exchange)
    return
  }
  const failure = error && reply.body === undefined ? protocol.fail(error) : null
  const sent = reply.body ?? JSON.stringify(failure?.body ?? protocol.complete(exchange))
  const bytes = Buffer.from(sent)
  outgoing.writeHead(reply.status ?? failure?.status ?? 200, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...reply.headers,
  })
  sendBytes(outgoing, isBroken(reply) ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes, reply)
}

function sendStream(outgoing: ServerResponse, protocol: Protocol, exchange: Exchange): void {
  const { reply } = exchange
  const events = protocol.stream(exchange)
  outgoing.writeHead(reply.status ?? 200, { 'content-type': 'text/event-stream', ...reply.headers })
  const isPiece = (event: StreamEvent) => event.isPiece === true
  if (reply.error) {
    const begun = untilTheLastPiece(events, isPiece)
    const failed = protocol.failLate(reply.error, exchange, begun.length)
    sendBytes(outgoing, Buffer.from(written([...begun, ...failed])), reply)
  } else
    sendBytes(
      outgoing,
      Buffer.from(written(isBroken(reply) ? untilTheMiddle(events, isPiece) : events)),
      reply,
    )
}

function isBroken({ fault }: ModelReply): boolean {
  return fault === 'cut_off' || fault === 'stall'
}

function sendBytes(outgoing: ServerResponse, bytes: Buffer, { fault }: ModelReply): void {
  if (fault === 'cut_off') outgoing.write(bytes, () => outgoing.socket?.destroy())
  else if (fault === 'stall') outgoing.write(bytes)
  else outgoing.end(bytes)
}

function written(events: readonly StreamEvent[]): string {
  return events
    .map(({ name, data }) => {
      const line = `data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`
      return name === undefined ? line : `event: ${name}\n${line}`
    })
    .join('')
}
