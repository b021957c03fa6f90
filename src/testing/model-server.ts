import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A model behind a real socket: it speaks the OpenAI chat-completions protocol on 127.0.0.1, at once or as a
 * stream, says what a script tells it to, fails in the ways in which providers fail, and keeps every request.
 */
export interface ModelServer extends AsyncDisposable {
  /** For `baseURL`; it ends in `/v1`. */
  readonly url: string
  /** Oldest first; those that are never answered too. */
  readonly requests: readonly ModelRequest[]
  /** From now on. */
  setReply(reply: ModelScript): void
  /** Also ends what hangs. */
  close(): Promise<void>
}

export interface ModelRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: ChatRequest
}

/** The part of a chat-completions request that tests look at; the rest is there as it came. */
export interface ChatRequest {
  readonly model?: string
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly stream?: boolean
  readonly [field: string]: unknown
}

/** A bare string is `{ text }`. All is left out: an empty answer that ended normally. */
export interface ModelReply {
  readonly text?: string | null
  readonly refusal?: string
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[]
  /** The default: `stop`, or `tool_calls` where there are any. */
  readonly finishReason?: string | null
  readonly usage?: { readonly input: number; readonly cached?: number; readonly output: number }
  /** Before the first byte. */
  readonly delayMs?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, in place of a completion. */
  readonly body?: string
  /** `reset`: the connection ends before a byte. `cut_off`: in the middle of the body. `hang`: no answer, ever. */
  readonly fault?: 'reset' | 'cut_off' | 'hang'
}

export type ModelScript =
  | ModelReply
  | string
  | ((request: ModelRequest, index: number) => ModelReply | string | Promise<ModelReply | string>)

/** Listens on a free port. Without a script it answers with an empty text. */
export async function startModelServer(options: { reply?: ModelScript } = {}): Promise<ModelServer> {
  let script: ModelScript = options.reply ?? ''
  const requests: ModelRequest[] = []

  const server = createServer(async (incoming, outgoing) => {
    // A client that gives up is no event here.
    outgoing.on('error', () => {})
    try {
      const request = await readRequest(incoming)
      requests.push(request)
      const said = typeof script === 'function' ? await script(request, requests.length - 1) : script
      await send(outgoing, request.body, typeof said === 'string' ? { text: said } : said)
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' })
      outgoing.end(`The script of the model server failed: ${String(error)}`)
    }
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

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return {
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: text === '' ? {} : (JSON.parse(text) as ChatRequest),
  }
}

async function send(outgoing: ServerResponse, request: ChatRequest, reply: ModelReply): Promise<void> {
  if (reply.fault === 'hang') return
  if (reply.delayMs) await new Promise(resolve => setTimeout(resolve, reply.delayMs))
  if (reply.fault === 'reset') {
    outgoing.socket?.resetAndDestroy()
    return
  }
  const isStream = request.stream === true && reply.body === undefined
  const body = reply.body ?? (isStream ? streamBody(request, reply) : completionBody(request, reply))
  const type = isStream ? 'text/event-stream' : 'application/json'
  const bytes = Buffer.from(body)
  outgoing.writeHead(reply.status ?? 200, {
    'content-type': type,
    ...(!isStream && { 'content-length': String(bytes.length) }),
    ...reply.headers,
  })
  if (reply.fault !== 'cut_off') {
    outgoing.end(bytes)
    return
  }
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.socket?.destroy())
}

const FRAME = { id: 'chatcmpl-scripted', created: 1_767_225_600 }

function completionBody(request: ChatRequest, reply: ModelReply): string {
  return JSON.stringify({
    ...FRAME,
    object: 'chat.completion',
    model: request.model ?? 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', ...said(reply) }, finish_reason: ending(reply) }],
    usage: usageOf(reply),
  })
}

const STREAMED_CHARACTERS = 20

function streamBody(request: ChatRequest, reply: ModelReply): string {
  const { content, ...rest } = said(reply)
  const pieces = content?.match(new RegExp(`.{1,${STREAMED_CHARACTERS}}`, 'gsu')) ?? []
  const frame = { ...FRAME, object: 'chat.completion.chunk', model: request.model ?? 'scripted' }
  const chunk = (delta: object, finish: string | null = null) => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const calls = rest.tool_calls?.map((call, index) => ({ index, ...call }))
  const chunks: object[] = [
    chunk({ role: 'assistant', content: '', ...rest, ...(calls && { tool_calls: calls }) }),
    ...pieces.map(piece => chunk({ content: piece })),
    chunk({}, ending(reply)),
    { ...frame, choices: [], usage: usageOf(reply) },
  ]
  return `${chunks.map(each => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`
}

function said({ text, refusal, toolCalls }: ModelReply) {
  const calls = toolCalls?.map((call, index) => ({
    id: `call_${index + 1}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  return {
    content: text ?? (calls || refusal !== undefined ? null : ''),
    ...(refusal !== undefined && { refusal }),
    ...(calls && { tool_calls: calls }),
  }
}

function ending({ finishReason, toolCalls }: ModelReply): string | null {
  if (finishReason !== undefined) return finishReason
  return toolCalls ? 'tool_calls' : 'stop'
}

function usageOf({ usage = { input: 100, output: 20 } }: ModelReply) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    ...(usage.cached !== undefined && { prompt_tokens_details: { cached_tokens: usage.cached } }),
  }
}
