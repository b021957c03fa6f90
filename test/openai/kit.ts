import OpenAI from 'openai'
import { afterEach, expect } from 'vitest'
import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import {
  type ModelReply,
  type ModelRequest,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { type RunningServer, startServer } from '../../packages/server/src/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'

/** A message as GET …/messages gives it. */
export interface Logged {
  readonly seq: number
  readonly role: string
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly content: any
  readonly sender: { readonly id: string } | null
}

type Script = (request: ModelRequest) => ModelReply | string | Promise<ModelReply | string>

export interface Kit {
  readonly model: ModelServer
  /** The requests for answers, without those of the summariser. */
  readonly asked: () => readonly ModelRequest[]
  readonly warnings: unknown[]
  readonly url: () => string
  /** A client of the server as it runs now, for a session. */
  client(session: string, headers?: Record<string, string>): OpenAI
  log(session: string): Promise<readonly Logged[]>
  get(path: string): Promise<{ status: number; json: never }>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  /** Another process on the same database. */
  restart(): Promise<void>
  another(): Promise<RunningServer>
}

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const SUMMARY = JSON.stringify({ summary: 'They spoke of this and that.', events: [], details: [] })

/** Answers are streamed, summaries are not. */
function isAnswer({ body }: ModelRequest): boolean {
  return body.stream === true
}

/** A server on a port, its database, and the model that it is told to ask. */
export async function start(reply: Script | ModelReply | string, settings: Layer = {}): Promise<Kit> {
  const script: Script = typeof reply === 'function' ? reply : () => reply
  const model = await startModelServer({
    reply: request => (isAnswer(request) ? script(request) : SUMMARY),
  })
  const place = sqlitePlace()
  const warnings: unknown[] = []
  const open = () => openServer(place, { ...modelSettings(model), ...settings }, warnings)
  let server = await open()
  cleanups.push(
    () => place.remove(),
    () => server.close(),
    () => model.close(),
  )
  const call = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init)
  return {
    model,
    asked: () => model.requests.filter(isAnswer),
    warnings,
    url: () => server.url,
    client: (session, headers = {}) =>
      new OpenAI({
        baseURL: `${server.url}/v1`,
        apiKey: 'none',
        maxRetries: 0,
        defaultHeaders: { 'x-palimpsest-session': session, ...headers },
      }),
    log: session => readLog(path => call(path), session),
    get: async path => {
      const response = await call(path)
      return { status: response.status, json: (await response.json()) as never }
    },
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    restart: async () => {
      await server.close()
      server = await open()
    },
    another: async () => {
      const other = await open()
      cleanups.push(() => other.close())
      return other
    },
  }
}

function modelSettings(model: ModelServer): Layer {
  return { model: 'openai-compatible:qwen3', modelBaseUrl: model.url, modelApiKey: 'sk-configured-key' }
}

async function openServer(
  place: StorePlace,
  environment: Layer,
  warnings: unknown[],
): Promise<RunningServer> {
  return startServer({
    store: await place.open(),
    port: 0,
    environment,
    onError: error => warnings.push(error),
    onWarning: warning => warnings.push(warning),
  })
}

async function readLog(call: (path: string) => Promise<Response>, session: string): Promise<Logged[]> {
  const messages: Logged[] = []
  for (let after: number | null = 0; after !== null; ) {
    const path = `/v1/sessions/${encodeURIComponent(session)}/messages?limit=1000&after=${after}`
    const page = (await (await call(path)).json()) as { messages: Logged[]; next: number | null }
    messages.push(...page.messages)
    after = page.next
  }
  return messages
}

export type Param = OpenAI.ChatCompletionMessageParam

export const user = (content: string): Param => ({ role: 'user', content })
export const assistant = (content: string): Param => ({ role: 'assistant', content })

/** As a fork of the session `s` is called: of its name the number alone is known before. */
export const forkNamed = (number: number) => expect.stringMatching(new RegExp(`^s~${number}-[0-9a-f]{16}$`))

/** The forks that a session has, the oldest first. */
export async function forksOf(kit: Kit, session: string): Promise<readonly string[]> {
  const { json } = await kit.get('/v1/sessions?limit=1000')
  const { sessions } = json as { readonly sessions: readonly { readonly id: string }[] }
  return sessions.map(({ id }) => id).filter(id => id.startsWith(`${session}~`))
}

/** What is said in the log, each with its role. */
export function saidIn(log: readonly Logged[]): string[] {
  return log.map(({ role, text }) => `${role}: ${text}`)
}

/** Waits until something holds that another process brings about, without a fixed time. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setImmediate(resolve))
}
