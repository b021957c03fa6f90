import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { type AppOptions, openApp, startServer } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { TokenBuckets } from '../../packages/server/src/token-buckets.ts'
import { sqlitePlace } from '../stores.ts'

const place = sqlitePlace()
afterAll(() => place.remove())

let names = 0

/** A key of its own, so that nobody else's calls count. */
async function newHolder(namespace = 'default'): Promise<{ id: string; headers: Record<string, string> }> {
  const { key, written } = newKey({ name: `key ${++names}`, namespace, scopes: ['admin'], now: new Date() })
  const store = await place.open()
  await store.keys.addKey(key)
  await store.close()
  return { id: key.id, headers: { authorization: `Bearer ${written}` } }
}

/** As though the call came over a socket from there. */
const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })

async function openServer(options: Partial<AppOptions> = {}) {
  const opened = await openApp({ store: await place.open(), ...options })
  const call = async (
    path: string,
    { headers = {}, address = '203.0.113.1' }: { headers?: Record<string, string>; address?: string } = {},
  ) => {
    const response = await opened.app.request(path, { headers }, from(address))
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
    const json: any = await response.json()
    return { status: response.status, json, headers: response.headers }
  }
  return { call, opened, [Symbol.asyncDispose]: () => opened.close() }
}

async function statuses(count: number, call: () => Promise<{ status: number }>): Promise<readonly number[]> {
  const all: number[] = []
  for (let round = 0; round < count; round += 1) all.push((await call()).status)
  return all
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status)

describe('a bucket', () => {
  test('gives a burst, then as many as the limit says, and says how long to wait', () => {
    const buckets = new TokenBuckets()
    const take = (now: number) => buckets.take('a', 60, now)
    for (let call = 0; call < 10; call += 1) expect(take(5)).toBe(0)
    expect(take(5)).toBeCloseTo(1_000)
    expect(take(505)).toBeCloseTo(500)
    expect(take(1_005)).toBe(0)
    expect(take(1_005)).toBeGreaterThan(0)
    // After a pause it is full, and no fuller than that.
    for (let call = 0; call < 10; call += 1) expect(take(1e9)).toBe(0)
    expect(take(1e9)).toBeGreaterThan(0)
  })

  test('has a burst of a sixth of the limit', () => {
    const buckets = new TokenBuckets()
    for (let call = 0; call < 200; call += 1) expect(buckets.take('a', 1_200, 0)).toBe(0)
    expect(buckets.take('a', 1_200, 0)).toBeCloseTo(50)
  })

  test('takes up another limit at once', () => {
    const buckets = new TokenBuckets()
    for (let call = 0; call < 10; call += 1) buckets.take('a', 1, 0)
    expect(buckets.take('a', 1, 0)).toBeCloseTo(60_000)
    expect(buckets.take('a', 1_200, 0)).toBeLessThanOrEqual(50)
  })

  test('is forgotten when it is full, and there are never more than the most', () => {
    const buckets = new TokenBuckets(100)
    for (let caller = 0; caller < 1_000; caller += 1) buckets.take(`${caller}`, 60, 0)
    expect(buckets.size).toBe(100)
    buckets.take('late', 60, 1_000)
    expect(buckets.size).toBe(1)
    // Whoever calls most is not the one that is forgotten.
    const few = new TokenBuckets(2)
    for (const caller of ['a', 'b', 'a', 'c', 'a']) few.take(caller, 1, 0)
    for (let call = 0; call < 7; call += 1) expect(few.take('a', 1, 0)).toBe(0)
    expect(few.take('a', 1, 0)).toBeGreaterThan(0)
  })
})

describe('a limit on requests', () => {
  test('is off on this machine unless somebody sets it, and is set while the server runs', async () => {
    await using server = await openServer()
    expect(await statuses(250, () => server.call('/v1/sessions'))).toEqual(times(250, 200))
    const put = (body: unknown) =>
      server.opened.app.request('/v1/settings', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await put({ rateLimit: -1 })).status).toBe(422)
    expect((await put({ rateLimit: 1 })).status).toBe(200)
    expect(await statuses(11, () => server.call('/v1/sessions'))).toEqual([...times(10, 200), 429])
    const refused = await server.call('/v1/sessions')
    expect(refused.json.error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('At most 1 calls a minute'),
      details: { limitPerMinute: 1, retryAfterSec: expect.any(Number) },
    })
    expect(refused.headers.get('retry-after')).toBe(String(refused.json.error.details.retryAfterSec))
    expect(refused.json.error.details.retryAfterSec).toBeGreaterThan(50)
    // Another process takes it away: whoever waits is let in with the next call.
    const store = await place.open()
    await store.settings.writeSettings('default', { rateLimit: null })
    await store.close()
    expect((await server.call('/v1/sessions')).status).toBe(200)
  })

  test('counts every key by itself, wherever it is used, and addresses without a key', async () => {
    const environment = { rateLimit: 1 }
    {
      await using server = await openServer({ environment })
      const at = (address: string) => () => server.call('/v1/sessions', { address })
      expect(await statuses(11, at('203.0.113.1'))).toEqual([...times(10, 200), 429])
      expect((await at('203.0.113.2')()).status).toBe(200)
      // One caller has a whole network of IPv6; an IPv4 address is the same in its longer form.
      expect(await statuses(10, at('2001:db8:1:2::1'))).toEqual(times(10, 200))
      expect((await at('2001:db8:1:2:ffff::2')()).status).toBe(429)
      expect((await at('2001:0DB8:1:2:0:0:0:3')()).status).toBe(429)
      expect((await at('2001:db8:1:3::1')()).status).toBe(200)
      expect((await at('::ffff:203.0.113.1')()).status).toBe(429)
    }
    await using server = await openServer({ environment })
    const [one, two] = [await newHolder(), await newHolder('other')]
    let address = 0
    const by =
      ({ headers }: typeof one) =>
      () =>
        server.call('/v1/sessions', { headers, address: `203.0.113.${++address}` })
    expect(await statuses(11, by(one))).toEqual([...times(10, 200), 429])
    expect(await statuses(11, by(two))).toEqual([...times(10, 200), 429])
    for (const path of ['/healthz', '/openapi.json', '/healthz']) await server.call(path)
    expect(await statuses(8, () => server.call('/healthz'))).toEqual([...times(7, 200), 429])
    const store = await place.open()
    for (const { id } of [one, two]) await store.keys.removeKey(id)
    await store.close()
  })

  test('off this machine is 1,200 a minute unless somebody says otherwise', async () => {
    const { id, headers } = await newHolder()
    {
      await using server = await openServer({ needsKeys: true })
      const { json } = await server.call('/v1/settings', { headers })
      expect(json).toMatchObject({ settings: { rateLimit: 1_200 }, sources: { rateLimit: 'environment' } })
      const all = await Promise.all(
        Array.from({ length: 260 }, () => server.call('/v1/sessions', { headers })),
      )
      expect(all.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    }
    await using server = await openServer({ needsKeys: true, environment: { rateLimit: null } })
    expect(await statuses(250, () => server.call('/v1/sessions', { headers }))).toEqual(times(250, 200))
    const store = await place.open()
    await store.keys.removeKey(id)
    await store.close()
  })

  test('holds for keys that are wrong, by address, and not for the right one from there', async () => {
    const { id, headers } = await newHolder()
    await using server = await openServer({ needsKeys: true })
    const wrong = { authorization: 'Bearer pal_guessed222_x' }
    const guess = () => server.call('/v1/sessions', { headers: wrong })
    expect(await statuses(11, guess)).toEqual([...times(10, 401), 429])
    const refused = await guess()
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.json.error.message).toContain('missing or wrong')
    expect((await server.call('/v1/sessions')).status).toBe(429)
    expect((await server.call('/v1/sessions', { headers })).status).toBe(200)
    expect((await server.call('/v1/sessions', { headers: wrong, address: '203.0.113.9' })).status).toBe(401)
    const store = await place.open()
    await store.keys.removeKey(id)
    await store.close()
  })

  test('believes no header about who calls, unless a proxy is trusted; then only its own word', async () => {
    const call = async (server: Awaited<ReturnType<typeof openServer>>, forwarded: string) =>
      (await server.call('/healthz', { headers: { 'x-forwarded-for': forwarded } })).status
    const environment = { rateLimit: 1 }
    {
      await using server = await openServer({ environment })
      let address = 0
      expect(
        await statuses(11, async () => ({ status: await call(server, `198.51.100.${++address}`) })),
      ).toEqual([...times(10, 200), 429])
    }
    await using server = await openServer({ environment, trustsProxy: true })
    let claimed = 0
    const lying = async () => ({ status: await call(server, `10.0.0.${++claimed}, 198.51.100.7`) })
    expect(await statuses(11, lying)).toEqual([...times(10, 200), 429])
    expect(await call(server, '198.51.100.8')).toBe(200)
    // What is no address is not believed either.
    for (const nonsense of ['', 'unknown', 'a'.repeat(5_000)]) expect(await call(server, nonsense)).toBe(200)
  })
})

describe('a batch of MCP', () => {
  const batchOf = (length: number) =>
    JSON.stringify(
      Array.from({ length }, (_, id) => ({
        ...{ jsonrpc: '2.0', id, method: 'tools/call' },
        params: { name: 'append_messages', arguments: { session: 'batch', role: 'user', text: 'x' } },
      })),
    )

  test('counts as its calls, for a key and for an address', async () => {
    const { id, headers: key } = await newHolder('batches')
    for (const [headers, namespace] of [
      [key, 'batches'],
      [{}, 'default'],
    ] as const) {
      const store = await place.open()
      if (namespace === 'default') await store.keys.removeKey(id)
      const opened = await openApp({ store, environment: { rateLimit: 6 } })
      const send = async (length: number) => {
        const response = await opened.app.request(
          '/mcp',
          {
            method: 'POST',
            headers: {
              ...headers,
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
            },
            body: batchOf(length),
          },
          from('203.0.113.7'),
        )
        return { status: response.status, text: await response.text(), headers: response.headers }
      }
      const { palimpsest } = await opened.tenant(namespace)
      const stored = async () => (await palimpsest.session('batch').info())?.messages ?? 0
      const before = await stored()
      // At 6 a minute there are 10 at once.
      expect((await send(8)).status).toBe(200)
      expect(await stored()).toBe(before + 8)
      const refused = await send(9)
      expect(refused.status).toBe(429)
      // One of the 10 is left, and a call comes back every 10 s: the batch passes when there are 9, not 8.
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(70)
      expect(await stored()).toBe(before + 8)
      await opened.close()
    }
  })
})

describe('a batch of MCP with more calls than are ever taken at once', () => {
  async function sender() {
    const { id, headers } = await newHolder()
    const { opened } = await openServer({ environment: { rateLimit: 6 } })
    const send = (length: number) =>
      opened.app.request('/mcp', {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(
          Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
        ),
      })
    const close = async () => {
      const store = await place.open()
      await store.keys.removeKey(id)
      await store.close()
      await opened.close()
    }
    return { send, [Symbol.asyncDispose]: close }
  }

  test.each([11, 100])('is refused for good, and its calls are not counted (%i)', async length => {
    await using caller = await sender()
    const refused = await caller.send(length)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([413, null])
    expect(((await refused.json()) as { error: unknown }).error).toMatchObject({
      code: 'batch_too_large',
      message: expect.stringContaining('rateLimit'),
      details: { calls: length, maxCalls: 10, limitPerMinute: 6 },
    })
    // Of the 10 the request itself took one.
    expect((await caller.send(9)).status).toBe(200)
  })

  test('is one of more than 10 of them: 10 pass', async () => {
    await using caller = await sender()
    expect((await caller.send(10)).status).toBe(200)
  })
})

describe('over a socket', () => {
  const message = { role: 'user', text: 'x' }
  const json = { 'content-type': 'application/json' }

  async function serving<Result>(use: (url: string, port: number) => Promise<Result>): Promise<Result> {
    const environment = { maxBodyBytes: 65_536 }
    const server = await startServer({ store: await place.open(), port: 0, environment })
    try {
      return await use(server.url, server.port)
    } finally {
      await server.close()
    }
  }

  const post = (url: string, body: RequestInit['body'], headers: Record<string, string> = json) =>
    fetch(`${url}/v1/sessions/limits/messages`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit)

  test('each address is counted by itself', async () => {
    const server = await startServer({ store: await place.open(), port: 0, environment: { rateLimit: 1 } })
    const call = (localAddress: string) => async () => {
      const options = { host: '127.0.0.1', port: server.port, path: '/v1/sessions', localAddress }
      const sent = httpRequest(options).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return { status: response.statusCode ?? 0 }
    }
    expect(await statuses(11, call('127.0.0.1'))).toEqual([...times(10, 200), 429])
    expect((await call('127.0.0.2')()).status).toBe(200)
    await server.close()
  })

  test('a body is refused for what it is, and nothing is stored of it', () =>
    serving(async url => {
      const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
      const inMessage = (field: string) => `{"role":"user","text":"x",${field}}`
      const zip = gzipSync(JSON.stringify({ ...message, text: 'x'.repeat(50_000_000) }))
      const endless = () =>
        ReadableStream.from(Array.from({ length: 40 }, () => new Uint8Array(50_000).fill(0x20)))
      for (const [what, send, status] of [
        ['too large', () => post(url, JSON.stringify({ ...message, text: 'x'.repeat(70_000) })), 413],
        [
          'compressed',
          () => post(url, zip.subarray(0, 60_000), { ...json, 'content-encoding': 'gzip' }),
          415,
        ],
        ['deep', () => post(url, inMessage(`"content":${nested(10_000)}`)), 422],
        ['too deep by one', () => post(url, inMessage(`"content":${nested(256)}`)), 422],
        ['deep, of another name', () => post(url, inMessage(`"extra":${nested(300)}`)), 422],
        ['a huge number', () => post(url, inMessage('"at":1e999')), 422],
        ['a prototype', () => post(url, inMessage('"__proto__":{"role":"admin"}')), 422],
        [
          'a prototype below',
          () => post(url, '{"messages":[{"role":"user","text":"x","__proto__":{"at":1}}]}'),
          422,
        ],
        ['a constructor', () => post(url, inMessage('"constructor":{"prototype":{}}')), 422],
        [
          'many fields',
          () => post(url, `{${Array.from({ length: 5_000 }, (_, i) => `"${i}":0`).join()}}`),
          422,
        ],
        ['no JSON', () => post(url, '{"role":'), 400],
        ['no UTF-8', () => post(url, new Uint8Array([0x7b, 0xff, 0x7d])), 400],
        [
          'a form',
          () => post(url, 'role=user', { 'content-type': 'application/x-www-form-urlencoded' }),
          415,
        ],
        ['text', () => post(url, JSON.stringify(message), { 'content-type': 'text/plain' }), 415],
        ['a list', () => post(url, JSON.stringify([message])), 422],
        ['too large, in chunks', () => post(url, endless()), 413],
      ] as const) {
        const response = await send()
        expect([what, response.status]).toEqual([what, status])
        expect(await response.json()).toHaveProperty('error.code')
      }
      expect((await fetch(`${url}/v1/sessions/limits`)).status).toBe(404)
      expect(({} as Record<string, unknown>)['role']).toBeUndefined()
    }))

  test('of two fields of the same name the last one counts, as everywhere in JSON', () =>
    serving(async url => {
      expect((await post(url, '{"role":"system","role":"user","text":"a","text":"b"}')).status).toBe(201)
      const { messages } = (await (await fetch(`${url}/v1/sessions/limits/messages`)).json()) as {
        messages: unknown[]
      }
      expect(messages).toMatchObject([{ role: 'user', text: 'b' }])
    }))

  test.each([
    [1_000_000, 'POST', '/v1/sessions/many/messages'],
    [100_000, 'PUT', '/v1/settings'],
  ])('%i unknown fields are refused in few words by %s %s', async (length, method, path) => {
    await using server = await openServer()
    const body = `{${Array.from({ length }, (_, index) => `"k${index}":0`).join()}}`
    const response = await server.opened.app.request(path, { method, headers: json, body })
    expect(response.status).toBe(422)
    expect((await response.text()).length).toBeLessThan(100_000)
  })

  test('a length that is announced wrong harms nobody', () =>
    serving(async (url, port) => {
      const body = JSON.stringify(message)
      const head = (length: number | string) =>
        `POST /v1/sessions/lying/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`
      const send = (text: string) =>
        new Promise<string>(resolve => {
          let heard = ''
          const socket = connect(port, '127.0.0.1', () => socket.end(text))
          socket.on('data', chunk => {
            heard += chunk
          })
          socket.on('error', () => {})
          socket.on('close', () => resolve(heard.split('\r\n', 1)[0]!))
        })
      expect(await send(head(body.length + 100))).not.toContain('201')
      expect(await send(head(body.length - 1))).toContain('400')
      expect(await send(head(-1))).toContain('400')
      expect(await send(head('1e9'))).toContain('400')
      expect(await send(head(99_999_999))).toContain('413')
      const both = head(body.length).replace('\r\n\r\n', '\r\ntransfer-encoding: chunked\r\n\r\n')
      expect(await send(both)).toContain('400')
      expect((await fetch(`${url}/v1/sessions/lying`)).status).toBe(404)
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    }))

  test('chunks that make up a body are taken', () =>
    serving(async (_, port) => {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const options = { port, host: '127.0.0.1', method: 'POST', path: '/v1/sessions/chunks/messages' }
        const sent = httpRequest({ ...options, headers: json }, response => resolve(response.statusCode))
        sent.on('error', reject)
        for (const character of JSON.stringify(message)) sent.write(character)
        sent.end()
      })
      expect(status).toBe(201)
    }))
})
