import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type ModelServer, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { openApp } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { overHttp, type Speaker } from '../mcp/clients.ts'
import type { StorePlace } from '../stores.ts'
import { type Operation, operationsOf } from './fuzz-operations.ts'

interface Answered {
  readonly status: number
  readonly headers: Headers
  /** The status, the headers and the body: all that a caller sees. */
  readonly seen: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: any
}

/** One of two who live in the same database and know nothing of each other. */
export interface Tenant {
  readonly namespace: string
  /** In everything that they say, and in nothing that the other says. */
  readonly canary: string
  readonly keyId: string
  readonly key: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>
  listen(query?: string, headers?: Record<string, string>): Promise<Response>
  speak(): Promise<Speaker>
  /** Keeps a message and a note in every context, which only the library does. */
  pin(session: string, seq: number): Promise<void>
  settled(): Promise<void>
}

export interface House extends AsyncDisposable {
  readonly tenants: readonly [Tenant, Tenant]
  readonly operations: readonly Operation[]
  readonly model: ModelServer
  readonly errors: readonly unknown[]
}

const CANARIES = { a: 'aardvarkcanary', b: 'bumblebeecanary' }

/** A server on a port, with a namespace for each of two keys. */
export async function openHouse(place: StorePlace): Promise<House> {
  const errors: unknown[] = []
  const store = await place.open()
  const model = await startModelServer({
    reply: ({ said }) => replyTo(said.map(({ text }) => text).join(' ')),
  })
  const keys = Object.entries(CANARIES).map(([namespace, canary]) => ({
    namespace,
    canary,
    ...newKey({ name: 'bot', namespace, scopes: ['admin'], now: new Date(0) }),
  }))
  for (const { key } of keys) await store.keys.addKey(key)
  const opened = await openApp({ store, onError: error => errors.push(error) })
  const server = createServer(getRequestListener(request => opened.app.fetch(request)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tenants = keys.map(({ namespace, canary, key, written }): Tenant => {
    const authorization = { authorization: `Bearer ${written}` }
    const request = (path: string, init: RequestInit) => fetch(url + path, init)
    return {
      namespace,
      canary,
      keyId: key.id,
      key: written,
      call: async (method, path, body, headers = {}) => {
        const json = body !== undefined && { 'content-type': 'application/json' }
        const response = await request(path, {
          method,
          headers: { ...authorization, ...json, ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        return toAnswered(response)
      },
      listen: (query = '', headers = {}) =>
        request(`/v1/events${query}`, { headers: { ...authorization, ...headers } }),
      speak: () => overHttp(`${url}/mcp`, written),
      pin: async (session, seq) => {
        const chat = (await opened.tenant(namespace)).palimpsest.session(session)
        await chat.pin(seq)
        await chat.note(`pinned ${canary}`)
      },
      settled: async () => {
        const { palimpsest } = await opened.tenant(namespace)
        await palimpsest.settled()
        for (const { id } of await store.erasure.listOpenErasures(namespace)) await palimpsest.erased(id)
        await palimpsest.settled()
      },
    }
  })
  return {
    tenants: [tenants[0]!, tenants[1]!],
    operations: await operationsOf(opened.app),
    model,
    errors,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await opened.close()
      await model.close()
    },
  }
}

/** A model that repeats whose canaries it was told, as a summary and as an answer. */
function replyTo(told: string): string {
  const heard = Object.values(CANARIES)
    .filter(canary => told.includes(canary))
    .join(' and ')
  return JSON.stringify({
    summary: `They spoke at some length of ${heard}, of lemons, and of when to go to Porto.`,
    memo: { about: heard },
    events: [{ date: '2026-02-10', text: `spoke of ${heard}` }],
    details: [heard],
  })
}

async function toAnswered(response: Response): Promise<Answered> {
  const text = await response.text()
  const { status, headers } = response
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return {
    status,
    headers,
    seen: `${status} ${JSON.stringify([...headers])} ${text}`,
    json: isJson ? JSON.parse(text) : null,
  }
}
