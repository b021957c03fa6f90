import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { openApp, type RunningServer, startServer } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { sqlitePlace } from '../stores.ts'

const MEGABYTE = 1024 * 1024
const PATIENCE = { timeout: 30_000, interval: 20 }

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes of all buffers that something still holds. What the process keeps of freed memory depends on its allocator. */
function bufferedBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Serving {
  readonly server: RunningServer
  readonly keys: readonly string[]
}

/** Four megabytes are held at most: two of one key. */
async function serve(environment: Record<string, unknown> = {}): Promise<Serving> {
  const place = sqlitePlace()
  const store = await place.open()
  const made = ['one', 'two', 'three'].map(name =>
    newKey({ name, namespace: 'default', scopes: ['admin'], now: new Date(0) }),
  )
  for (const { key } of made) await store.keys.addKey(key)
  const server = await startServer({
    ...{ store, port: 0 },
    environment: { maxHeldBodyBytes: 4 * MEGABYTE, ...environment },
  })
  cleanups.push(
    () => place.remove(),
    () => server.close(),
  )
  return { server, keys: made.map(({ written }) => written) }
}

const ROUTES = ['/v1/sessions/s/messages', '/v1/chat/completions', '/mcp', '/v1/memory/global']
const methodOf = (path: string) => (path === '/v1/memory/global' ? 'PUT' : 'POST')

/** A body of which more is to come, and never does. */
function begin(
  { server }: Serving,
  key: string,
  {
    path = ROUTES[0]!,
    bytes = MEGABYTE,
    chunked = false,
    body = Buffer.alloc(bytes, ' '),
  }: { path?: string; bytes?: number; chunked?: boolean; body?: Buffer } = {},
): Socket {
  const head = [
    `${methodOf(path)} ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    chunked ? 'transfer-encoding: chunked' : `content-length: ${bytes + 1_000}`,
  ]
  const socket = connect(server.port, '127.0.0.1', () => {
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    if (chunked) socket.write(`${bytes.toString(16)}\r\n`)
    socket.write(body)
  })
  socket.on('error', () => {})
  cleanups.push(() => socket.destroy())
  return socket
}

const post = ({ server }: Serving, key: string, text = 'x') =>
  fetch(`${server.url}/v1/sessions/s/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ role: 'user', text }),
  })

const becomes = (serving: Serving, key: string, status: number, said = 'x') =>
  vi.waitFor(async () => {
    const response = await post(serving, key, said)
    const text = await response.text()
    expect(response.status).toBe(status)
    return { headers: response.headers, text }
  }, PATIENCE)

describe('bodies under way', () => {
  test.each(ROUTES.flatMap(path => [false, true].map(chunked => [path, chunked] as const)))(
    '%s, chunked: %s: one key has half, the others are served, and it comes back',
    async (path, chunked) => {
      const serving = await serve()
      const [one, two, three] = serving.keys as [string, string, string]
      const sockets = [1, 2].map(() => begin(serving, one, { path, chunked }))
      const { headers, text } = await becomes(serving, one, 503)
      expect(headers.get('retry-after')).toBe('1')
      expect(JSON.parse(text).error).toMatchObject({
        code: 'server_busy',
        message: expect.stringContaining('maxHeldBodyBytes'),
      })
      expect((await post(serving, two)).status).toBe(201)
      sockets.push(...[1, 2].map(() => begin(serving, two, { path, chunked })))
      await becomes(serving, three, 503)
      for (const socket of sockets) socket.destroy()
      for (const key of serving.keys) await becomes(serving, key, 201)
    },
  )

  test('60 of them that one key begins take up what one key may have, and it comes back', async () => {
    const serving = await serve({ maxHeldBodyBytes: 32 * MEGABYTE })
    const [one] = serving.keys as [string]
    const body = Buffer.alloc(4 * MEGABYTE, ' ')
    await becomes(serving, one, 201)
    const before = bufferedBytes()
    for (const chunked of [false, true]) {
      let refused = 0
      const sockets = Array.from({ length: 60 }, () => {
        const socket = begin(serving, one, { bytes: body.length, chunked, body })
        return socket.once('data', answer => {
          refused += String(answer).startsWith('HTTP/1.1 503') ? 1 : 0
        })
      })
      // Four of them are the half that one key has.
      await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(56), PATIENCE)
      await vi.waitFor(() => expect(bufferedBytes() - before).toBeLessThan(24 * MEGABYTE), PATIENCE)
      for (const socket of sockets) socket.destroy()
      await becomes(serving, one, 201)
      await vi.waitFor(() => expect(bufferedBytes() - before).toBeLessThan(4 * MEGABYTE), PATIENCE)
    }
  })

  test('a body that is only announced holds nothing', async () => {
    const serving = await serve()
    const [one] = serving.keys as [string]
    const { port } = serving.server
    for (let each = 0; each < 20; each += 1) {
      const headers = { authorization: `Bearer ${one}`, 'content-type': 'application/json' }
      const options = { port, host: '127.0.0.1', method: 'POST', path: ROUTES[0]! }
      const sent = httpRequest({ ...options, headers: { ...headers, 'content-length': 15 * MEGABYTE } })
      sent.on('error', () => {})
      sent.flushHeaders()
      cleanups.push(() => sent.destroy())
    }
    for (let each = 0; each < 5; each += 1) expect((await post(serving, one)).status).toBe(201)
  })

  test('one that is refused goes on to hold nothing, and neither does one that was answered', async () => {
    const serving = await serve()
    const [one] = serving.keys as [string]
    begin(serving, one)
    begin(serving, one)
    await becomes(serving, one, 503)
    for (let each = 0; each < 30; each += 1) expect((await post(serving, one)).status).toBe(503)
    const other = serving.keys[1]!
    for (let each = 0; each < 8; each += 1)
      expect((await post(serving, other, 'x'.repeat(MEGABYTE))).status).toBe(201)
    for (let each = 0; each < 3; each += 1)
      expect((await post(serving, other, 'x'.repeat(16 * MEGABYTE))).status).toBe(413)
    expect((await post(serving, other)).status).toBe(201)
  })

  test('a large one is taken where it is the only one', async () => {
    const serving = await serve()
    expect((await post(serving, serving.keys[0]!, 'x'.repeat(6 * MEGABYTE))).status).toBe(201)
  })

  test('what an answer is streamed from is held until it is sent, or its reader has gone', async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    await using model = await startModelServer({
      reply: async () => {
        await told
        return 'An answer.'
      },
    })
    const serving = await serve({ model: 'openai-compatible:x', modelBaseUrl: model.url, budget: 4_000_000 })
    const [one] = serving.keys as [string]
    const ask = (user: string, signal?: AbortSignal) =>
      fetch(`${serving.server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${one}` },
        body: JSON.stringify({
          ...{ model: 'x', stream: true, user },
          messages: [{ role: 'user', content: `${user} ${'word '.repeat(280_000)}` }],
        }),
        ...(signal && { signal }),
      })
    const isAsked = (times: number) =>
      vi.waitFor(() => expect(model.requests.filter(({ body }) => body.stream)).toHaveLength(times), PATIENCE)
    // Beside 1.4 MB there is no room for as much again.
    const again = 'x'.repeat(MEGABYTE)
    const leaving = new AbortController()
    const left = ask('first', leaving.signal).catch(() => null)
    await isAsked(1)
    await becomes(serving, one, 503, again)
    leaving.abort()
    await left
    await becomes(serving, one, 201, again)
    const waiting = ask('second')
    await isAsked(2)
    await becomes(serving, one, 503, again)
    tell()
    expect(await (await waiting).text()).toContain('[DONE]')
    await becomes(serving, one, 201, again)
  })

  describe('of an answer that has begun', () => {
    async function begun() {
      const model = await startModelServer({ reply: { text: 'An answer. '.repeat(20), fault: 'stall' } })
      const place = sqlitePlace()
      const store = await place.open()
      const { key, written } = newKey({
        name: 'one',
        namespace: 'default',
        scopes: ['admin'],
        now: new Date(0),
      })
      await store.keys.addKey(key)
      const opened = await openApp({
        store,
        environment: {
          ...{ model: 'openai-compatible:x', modelBaseUrl: model.url, budget: 4_000_000 },
          maxHeldBodyBytes: 4 * MEGABYTE,
        },
      })
      cleanups.push(
        () => place.remove(),
        () => opened.close(),
        () => model.close(),
      )
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${written}` }
      const send = (path: string, body: unknown, signal?: AbortSignal) =>
        opened.app.request(path, {
          ...{ method: 'POST', headers, body: JSON.stringify(body) },
          ...(signal && { signal }),
        })
      const content = 'word '.repeat(280_000)
      const leaving = new AbortController()
      const question = { model: 'x', stream: true, user: 'ann', messages: [{ role: 'user', content }] }
      const answer = await send('/v1/chat/completions', question, leaving.signal)
      expect(answer.status).toBe(200)
      // Beside 1.4 MB there is no room for as much again.
      const other = async () => (await send(ROUTES[0]!, { role: 'user', text: 'x'.repeat(MEGABYTE) })).status
      expect(await other()).toBe(503)
      return { answer, leaving, other }
    }

    test('it is held while the rest is to come, until its reader has gone', async () => {
      const { answer, other } = await begun()
      const reader = answer.body!.getReader()
      await reader.read()
      expect(await other()).toBe(503)
      await reader.cancel()
      expect(await other()).toBe(201)
    })

    test('it is held no longer where the caller left before the first word', async () => {
      const { leaving, other } = await begun()
      leaving.abort()
      expect(await other()).toBe(201)
    })
  })
})
