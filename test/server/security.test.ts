import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'
import { findSetting } from '../../packages/palimpsest/src/config/index.ts'
import type { Scope, Store } from '../../packages/palimpsest/src/store/index.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { type AppOptions, openApp, startServer } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { MAIN, run } from '../cli/run.ts'
import { postgresUrl } from '../postgres/url.ts'
import { PLACES, sqlitePlace } from '../stores.ts'
import { openClient, talk } from './client.ts'

const place = sqlitePlace()
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-security-'))
const children = new Set<ChildProcess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  await place.remove()
})

const json = { 'content-type': 'application/json' }

async function withApp(
  options: Partial<AppOptions>,
  use: (
    call: (path: string, headers: Record<string, string>, method?: string) => Promise<Response>,
  ) => unknown,
): Promise<void> {
  await using opened = await openApp({ store: await place.open(), ...options })
  await use(async (path, headers, method = 'GET') => opened.app.request(path, { method, headers }))
}

async function addKey(store: Store, scopes: readonly Scope[] = ['admin']): Promise<string> {
  const { key, written } = newKey({ name: scopes.join(), namespace: 'default', scopes, now: new Date() })
  await store.keys.addKey(key)
  return written
}

describe('every answer', () => {
  test('tells a browser to run, frame, guess and pass on nothing, errors included', async () => {
    await using client = await openClient(place)
    const { json: document } = await client.call('GET', '/openapi.json')
    const paths = Object.keys(document.paths).filter(path => path !== '/v1/events')
    const real = paths.map(path => path.replaceAll(/\{\w+\}/g, '1'))
    const answers = await Promise.all([
      ...real.map(path => client.raw(path, { method: 'DELETE' })),
      ...['/openapi.json', '/nowhere', '/%', '/healthz'].map(path => client.raw(path, {})),
      client.raw('/healthz', { headers: { host: 'evil.example' } }),
      client.call('POST', '/v1/sessions/x/messages', { role: 'user', text: 'x' }),
      client.raw('/v1/sessions/x/messages', { method: 'POST', body: 'x'.repeat(20_000_000) }),
    ])
    expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(5)
    for (const { headers } of answers)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String),
      })
  })

  test('has the policy of its own route where that has one', async () => {
    await using opened = await openApp({ store: await place.open() })
    opened.app.get(
      '/page',
      () => new Response('x', { headers: { 'content-security-policy': "script-src 'self'" } }),
    )
    const { headers } = await opened.app.request('/page')
    expect(headers.get('content-security-policy')).toBe("script-src 'self'")
    expect(headers.get('x-frame-options')).toBe('DENY')
  })
})

describe('names and origins', () => {
  test('on this machine no other name is answered to, and no page of another site', () =>
    withApp({}, async call => {
      for (const host of ['localhost', 'LOCALHOST:8787', '127.0.0.1:1', '[::1]:8787'])
        expect((await call('/v1/sessions', { host })).status).toBe(200)
      for (const host of [
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.nip.io',
        '127.0.0.1@evil.example',
        ' ',
        '0.0.0.0',
      ])
        expect([host, (await call('/v1/sessions', { host })).status]).toEqual([host, 403])
      for (const origin of ['http://localhost:3000', 'http://127.0.0.1:8787'])
        expect((await call('/v1/sessions', { origin })).status).toBe(200)
      for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', ''])
        expect([origin, (await call('/v1/sessions', { origin })).status]).toEqual([origin, 403])
    }))

  describe('from a browser', () => {
    const changes = (call: Parameters<Parameters<typeof withApp>[1]>[0], headers: Record<string, string>) =>
      Promise.all(
        [
          ['POST', '/v1/memory/global/undo'],
          ['POST', '/v1/sessions/s/messages'],
          ['PUT', '/v1/settings'],
          ['PATCH', '/v1/memory/global'],
          ['DELETE', '/v1/users/ann'],
          ['POST', '/v1/chat/completions'],
          ['POST', '/mcp'],
        ].map(async ([method, path]) => {
          const response = await call(path!, headers, method)
          return response.status === 403
        }),
      )
    const all = (isRefused: boolean) => Array.from({ length: 7 }, () => isRefused)
    const hosts = { host: 'localhost:8787' }

    test.each<[string, Record<string, string>]>([
      ['another port of this machine', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
      ['the same without an origin', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
      ['an older browser on another port', { origin: 'http://localhost:3000' }],
      ['an older browser under another name', { origin: 'http://127.0.0.1:8787' }],
      ['another scheme', { origin: 'https://localhost' }],
      ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
      ['a form of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
      ['a form of this machine', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
      ['a page without an origin', { origin: 'null' }],
      ['a word that no browser knows', { 'sec-fetch-site': 'elsewhere' }],
    ])('%s changes nothing, with a body or without', (_, headers) =>
      withApp({}, async call => {
        expect(await changes(call, { ...hosts, ...headers })).toEqual(all(true))
      }),
    )

    test.each<[string, Record<string, string>]>([
      ["a page of the server's own", { origin: 'http://localhost:8787', 'sec-fetch-site': 'same-origin' }],
      ['an older browser', { origin: 'http://localhost:8787' }],
      ['a person', { 'sec-fetch-site': 'none' }],
      ['no browser', {}],
    ])('%s may call', (_, headers) =>
      withApp({}, async call => {
        expect(await changes(call, { ...hosts, ...headers })).toEqual(all(false))
      }),
    )

    test('a name that is allowed is the same origin behind a proxy that has the certificate', () =>
      withApp({ allowedHosts: ['memory.example.com'] }, async call => {
        const headers = { host: 'memory.example.com', origin: 'https://memory.example.com' }
        expect(await changes(call, headers)).toEqual(all(false))
        const rewritten = { ...headers, host: '127.0.0.1:8787' }
        expect(await changes(call, { ...rewritten, 'sec-fetch-site': 'same-origin' })).toEqual(all(false))
        expect(await changes(call, { ...headers, origin: 'https://memory.example.com:444' })).toEqual(
          all(true),
        )
      }))

    test('off this machine too, and an origin that is allowed goes on', async () => {
      const corsOrigins = ['http://localhost:3000']
      for (const options of [{}, { hosts: 'any', needsKeys: true }] as const)
        await withApp({ ...options, corsOrigins }, async call => {
          const ours = { ...hosts, origin: corsOrigins[0]!, 'sec-fetch-site': 'same-site' }
          expect(await changes(call, ours)).toEqual(all(false))
          expect(await changes(call, { ...ours, origin: 'http://localhost:3001' })).toEqual(all(true))
        })
    })

    test('a link may be followed, and what is read by another port stays as it was', () =>
      withApp({}, async call => {
        const link = { ...hosts, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
        expect((await call('/v1/sessions', link)).status).toBe(200)
        expect((await call('/v1/sessions', { ...link, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
        expect((await call('/v1/sessions', { ...hosts, 'sec-fetch-site': 'same-site' })).status).toBe(200)
      }))

    test('memory is not undone by a POST without a body', async () => {
      await using client = await openClient(place)
      await client.call('PUT', '/v1/memory/global', { content: 'one' })
      await client.call('PUT', '/v1/memory/global', { content: 'two' })
      const headers = { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }
      const { status, json } = await client.raw('/v1/memory/global/undo', { method: 'POST', headers })
      expect([status, json.error.code]).toEqual([403, 'host_not_allowed'])
      expect((await client.call('GET', '/v1/memory/global')).json.content).toContain('two')
    })
  })

  test('an empty name is refused, whatever names are answered to', async () => {
    for (const options of [{}, { hosts: 'any' }] as const)
      await withApp(options, async call => {
        for (const host of ['', ' '])
          expect([400, 403]).toContain((await call('/v1/sessions', { host })).status)
      })
    const store = await place.open()
    const server = await startServer({ store, port: 0 })
    const answers = await Promise.all(
      ['GET /v1/sessions', 'GET http://localhost/v1/sessions', 'POST /v1/memory/global/undo'].map(
        line =>
          new Promise<string>(resolve => {
            let heard = ''
            const socket = connect(server.port, '127.0.0.1', () =>
              socket.write(`${line} HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n`),
            )
            socket.on('data', chunk => {
              heard += chunk
            })
            socket.on('close', () => resolve(heard))
          }),
      ),
    )
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 40[03]/)
      expect(answer).toMatch(/"code":"(malformed_request|host_not_allowed)"/)
    }
    await server.close()
  })

  test('over a socket the name that was called counts, not the address', async () => {
    const server = await startServer({ store: await place.open(), port: 0 })
    const status = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: server.port, path: '/v1/sessions', headers: { host } }
        httpRequest(options, response => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await status(`127.0.0.1:${server.port}`)).toBe(200)
    expect(await status('rebound.example')).toBe(403)
    await server.close()
  })

  test('a name that is allowed is answered to, and no other', () =>
    withApp({ allowedHosts: ['memory.example.com'], needsKeys: true }, async call => {
      expect((await call('/healthz', { host: 'memory.example.com:443' })).status).toBe(200)
      expect((await call('/healthz', { host: 'localhost' })).status).toBe(200)
      expect((await call('/healthz', { host: 'other.example.com' })).status).toBe(403)
      expect(
        (await call('/healthz', { host: 'memory.example.com', origin: 'https://memory.example.com' })).status,
      ).toBe(200)
    }))

  const preflight = (origin: string) => ({
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  })
  const corsHeaders = ({ headers }: Response) =>
    [...headers.keys()].filter(name => name.startsWith('access-control-'))

  test('there is no CORS unless somebody opens it', async () => {
    for (const hosts of [undefined, 'any'] as const)
      await withApp(hosts ? { hosts, needsKeys: true } : {}, async call => {
        for (const origin of ['https://app.example.com', 'http://localhost:3000', 'null']) {
          const asked = await call('/v1/sessions', preflight(origin), 'OPTIONS')
          expect([401, 403, 405]).toContain(asked.status)
          expect(corsHeaders(asked)).toEqual([])
          expect(corsHeaders(await call('/v1/sessions', { origin }))).toEqual([])
        }
      })
  })

  test('an origin that is allowed may call, and no other', async () => {
    const corsOrigins = ['https://app.example.com']
    for (const hosts of [undefined, 'any'] as const)
      await withApp({ corsOrigins, ...(hosts && { hosts, needsKeys: true }) }, async call => {
        const [origin] = corsOrigins as [string]
        const asked = await call('/v1/sessions/s/messages', preflight(origin), 'OPTIONS')
        expect(asked.status).toBe(204)
        expect(Object.fromEntries(asked.headers)).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-headers': 'authorization,content-type',
          'access-control-allow-methods': expect.stringContaining('POST'),
          'x-frame-options': 'DENY',
        })
        expect(asked.headers.has('access-control-allow-credentials')).toBe(false)
        const answered = await call('/v1/sessions', { origin })
        expect(answered.status).toBe(hosts ? 401 : 200)
        expect(answered.headers.get('access-control-allow-origin')).toBe(origin)
        expect(answered.headers.get('vary')?.toLowerCase()).toContain('origin')
        for (const other of [
          'https://evil.example',
          'http://app.example.com',
          'https://app.example.com:444',
          'https://app.example.com.evil.example',
          'null',
        ]) {
          expect(corsHeaders(await call('/v1/sessions', { origin: other }))).toEqual([])
          const refused = await call('/v1/sessions', preflight(other), 'OPTIONS')
          expect(corsHeaders(refused)).toEqual([])
          // Off this machine these are also calls without a key, of which there are many here.
          expect([401, 403, 405, 429]).toContain(refused.status)
        }
      })
  })
})

describe('settings of who may call', () => {
  const read = (name: string, given: unknown) => findSetting(name)!.read(given)

  test('take exact origins and plain names', () => {
    expect(read('corsOrigins', ' https://a.example, HTTP://localhost:5173,https://a.example ')).toEqual({
      value: ['https://a.example', 'http://localhost:5173'],
    })
    for (const wrong of [
      '*',
      'a.example',
      'https://a.example/',
      'https://a.example:443',
      'null',
      'file://',
      'https://u@a',
      '',
      7,
    ])
      expect([wrong, read('corsOrigins', wrong)]).toEqual([wrong, { allowed: expect.any(String) }])
    expect(read('allowedHosts', 'Memory.Example.com,[::1],10.0.0.1')).toEqual({
      value: ['memory.example.com', '[::1]', '10.0.0.1'],
    })
    for (const wrong of ['*', 'a:80', 'http://a', 'a/b', 'a..b', '::1', ''])
      expect([wrong, read('allowedHosts', wrong)]).toEqual([wrong, { allowed: expect.any(String) }])
    for (const name of ['corsOrigins', 'allowedHosts', 'rateLimit'])
      expect(read(name, 'none')).toEqual({ value: null })
    expect(read('rateLimit', '0')).toEqual({ value: null })
    expect(read('rateLimit', '1.5')).toHaveProperty('allowed')
  })
})

describe('off this machine', () => {
  test('it does not start without a key, and asks everybody for theirs', async () => {
    const own = sqlitePlace()
    await expect(startServer({ store: await own.open(), host: '0.0.0.0', port: 0 })).rejects.toThrow(
      'palimpsest keys create',
    )
    const store = await own.open()
    const key = await addKey(store)
    const server = await startServer({ store, host: '0.0.0.0', port: 0 })
    const url = `http://127.0.0.1:${server.port}`
    expect((await fetch(`${url}/v1/sessions`)).status).toBe(401)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${url}/v1/sessions`, { headers })).status).toBe(200)
    // The last one is revoked by another process: nobody is let in.
    const other = await own.open()
    for (const { id } of await other.keys.listKeys()) await other.keys.removeKey(id)
    await other.close()
    expect((await fetch(`${url}/v1/sessions`, { headers })).status).toBe(401)
    expect((await fetch(`${url}/v1/sessions`)).status).toBe(401)
    await server.close()
    await own.remove()
  })
})

describe('a server as a person starts it', () => {
  interface Running {
    readonly url: string
    readonly output: () => string
    stop(): Promise<void>
  }

  async function serve(args: readonly string[], env: Record<string, string>): Promise<Running> {
    const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--json', ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    })
    children.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        output += chunk
      })
    const exited = once(child, 'exit')
    const [line] = await Promise.race([
      once(createInterface(child.stdout), 'line') as Promise<[string]>,
      exited.then(() => Promise.reject(new Error(output))),
    ])
    const { port } = JSON.parse(line)
    return {
      url: `http://127.0.0.1:${port}`,
      output: () => output,
      stop: async () => {
        child.kill('SIGTERM')
        await exited
        children.delete(child)
      },
    }
  }

  test('tells no secret, neither in an answer nor in the log, whatever goes wrong', async () => {
    const canary = 'canary-model-key-9f31'
    // As some providers do.
    await using model = await startModelServer({
      reply: ({ headers }) => ({
        error: {
          kind: 'unauthorized',
          message: `Incorrect API key provided: ${String(headers.authorization)}`,
        },
      }),
    })
    const file = join(folder, 'secrets.db')
    const store = sqlite(file)
    await store.open()
    const [admin, reader] = [await addKey(store), await addKey(store, ['read'])]
    await store.close()
    const server = await serve(['--db', file, '--host', '0.0.0.0'], {
      PALIMPSEST_MODEL: 'openai-compatible:x',
      PALIMPSEST_MODEL_BASE_URL: model.url,
      PALIMPSEST_MODEL_API_KEY: canary,
    })
    const wrong = `${admin.slice(0, -6)}WRONG-`
    let answers = ''
    const call = async (key: string, method: string, path: string, body?: unknown) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...json, authorization: `Bearer ${key}`, 'x-api-key': key },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      answers += `${JSON.stringify([...response.headers])}${text}`
      return response.status
    }
    expect(await call(wrong, 'GET', '/v1/sessions')).toBe(401)
    expect(await call(reader, 'PUT', '/v1/settings', {})).toBe(403)
    expect(await call(admin, 'POST', '/v1/sessions/s/messages', { messages: talk(60, 40) })).toBe(201)
    expect(
      await call(admin, 'POST', '/v1/sessions/s/compact', { force: true, policy: 'count', keepLast: 2 }),
    ).toBe(200)
    expect(model.requests.length).toBeGreaterThan(0)
    expect(await call(admin, 'PUT', '/v1/settings', { modelApiKey: `${canary} with spaces` })).toBe(422)
    expect(await call(admin, 'PUT', '/v1/settings', { modelApiKey: canary })).toBe(200)
    for (const path of ['/v1/settings', '/v1/sessions/s', '/v1/sessions/s/settings', '/nowhere', '/metrics'])
      await call(admin, 'GET', path)
    await call(admin, 'POST', '/v1/sessions/s/messages', '{"role"')
    await call(admin, 'POST', '/v1/chat/completions', {
      model: 'x',
      messages: [{ role: 'user', content: 'x' }],
    })
    await server.stop()
    const secrets = [canary, admin, reader, wrong].map(key => key.split('_').slice(2).join('_') || key)
    for (const secret of secrets) {
      expect(answers).not.toContain(secret)
      expect(server.output()).not.toContain(secret)
    }
  })

  test('keeps to the flags, and refuses by name what they cannot be', async () => {
    const file = join(folder, 'flags.db')
    const store = sqlite(file)
    await store.open()
    const key = await addKey(store)
    await store.close()
    const origin = 'https://app.example.com'
    const server = await serve(
      [
        '--db',
        file,
        '--namespace',
        'n',
        '--allowed-hosts',
        '127.0.0.1,Memory.Example.com',
        '--cors-origins',
        origin,
      ],
      { PALIMPSEST_TRUST_PROXY: 'on', PALIMPSEST_RATE_LIMIT: '1' },
    )
    const call = (headers: Record<string, string>) => fetch(`${server.url}/v1/sessions`, { headers })
    const allowed = await call({ origin, authorization: `Bearer ${key}` })
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    expect((await call({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await call({})).status).toBe(401)
    await server.stop()
    for (const [flag, value] of [
      ['--cors-origins', '*'],
      ['--allowed-hosts', 'a.example:80'],
      ['--trust-proxy', 'yes'],
      ['--namespace', ''],
    ] as const) {
      const ran = await run(['serve', '--db', file, flag, value])
      expect(ran).toMatchObject({ code: 78, stdout: '', stderr: expect.stringContaining(`${flag}: `) })
    }
  })

  test('tells no password of a database, not of one that is gone either', async () => {
    const url = new URL(postgresUrl())
    const name = `secret_${process.pid}_${Date.now()}`
    const password = 'canary-database-word-77c1'
    const { default: pg } = await import('pg')
    const admin = new pg.Client(url.href)
    await admin.connect()
    await admin.query(`CREATE ROLE ${name} SUPERUSER LOGIN PASSWORD '${password}'`)
    await admin.query(`CREATE DATABASE ${name}`)
    const own = new URL(url)
    Object.assign(own, { username: name, password, pathname: `/${name}` })
    const store = postgres(own.href)
    await store.open()
    const key = await addKey(store)
    await store.close()
    const server = await serve([], { PALIMPSEST_STORE: own.href })
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${server.url}/v1/sessions`, { headers })).status).toBe(200)
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    let answers = ''
    for (let round = 0; round < 3; round += 1) {
      const response = await fetch(`${server.url}/v1/sessions`, { headers })
      expect(response.status).toBeGreaterThanOrEqual(500)
      answers += await response.text()
    }
    await server.stop()
    await admin.query(`DROP ROLE ${name}`)
    await admin.end()
    for (const secret of [password, key.split('_').slice(2).join('_')])
      expect(answers + server.output()).not.toContain(secret)
    // Whoever writes the address wrong is not shown it with its password.
    const ran = await run(['serve', '--store', `mysql://me:${password}@db.example/x`, '--json'])
    expect(ran).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('--store: "mysql://…@db.example/x"'),
    })
    expect(ran.stdout + ran.stderr).not.toContain(password)
  })
})

describe.each(Object.entries(PLACES))('ids are data on %s', (_, newPlace) => {
  const own = newPlace()
  afterAll(() => own.remove())

  const HOSTILE = [
    '../../etc/passwd',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e/%2e%2e',
    '/etc/passwd',
    'C:\\Windows\\system32',
    'con',
    "'; DROP TABLE messages; --",
    "x' OR '1'='1",
    '$1 $$ ?1 :name',
    '%_%',
    '\\',
    '__proto__',
    'constructor',
    'toString',
    '\u202egnp.exe',
    '\u0001',
    '\n\r\t',
    '👩‍👩‍👧 机器人',
    ' ',
    'é'.normalize('NFD'),
    'x'.repeat(4_000),
  ]
  const REFUSED = ['a\0b', 'a\ud800b', 'x'.repeat(5_000)]

  test('they come back as they were, and change nothing else', async () => {
    const around = mkdtempSync(join(folder, 'around-'))
    const workspace = join(around, 'some', 'where', 'memory')
    mkdirSync(workspace, { recursive: true })
    const store = await own.open()
    await using opened = await openApp({ store, workspace, environment: { extract: 'off' } })
    const call = async (method: string, path: string, body?: unknown) => {
      const init = { method, ...(body !== undefined && { headers: json, body: JSON.stringify(body) }) }
      const response = await opened.app.request(path, init)
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
      return { status: response.status, json: (await response.json()) as any }
    }
    const part = encodeURIComponent
    for (const id of HOSTILE) {
      const message = {
        role: 'user',
        text: `of ${id}`,
        sender: { id, name: id },
        externalId: id,
        user: id,
        scope: id,
      }
      const added = await call('POST', `/v1/sessions/${part(id)}/messages`, message)
      expect([id, added.status]).toEqual([id, 201])
      const { json: session } = await call('GET', `/v1/sessions/${part(id)}`)
      expect(session).toMatchObject({ id, user: id, scope: id, messages: 1 })
      const { json: read } = await call('GET', `/v1/sessions/${part(id)}/messages`)
      expect(read.messages).toMatchObject([{ text: `of ${id}`, sender: { id, name: id }, externalId: id }])
      for (const layer of ['user', 'scope', 'chat']) {
        const path = `/v1/memory/${layer}/${part(id)}`
        expect([201, 200]).toContain((await call('PUT', path, { content: `- of ${layer}\n` })).status)
        expect((await call('GET', path)).json).toMatchObject({ layer, key: id, content: `- of ${layer}\n` })
      }
      expect((await call('GET', `/v1/search?q=of&user=${part(id)}`)).status).toBe(200)
      expect((await call('PUT', `/v1/sessions/${part(id)}/settings`, { threshold: 30 })).status).toBe(200)
    }
    for (const id of REFUSED) {
      // A lone surrogate has no form in a path: only a body can hold one.
      const message = { role: 'user', text: 'x' }
      if (id.isWellFormed())
        expect((await call('POST', `/v1/sessions/${part(id)}/messages`, message)).status).toBe(422)
      for (const field of ['user', 'scope', 'externalId', 'sender'])
        expect([
          field,
          (await call('POST', '/v1/sessions/refused/messages', { ...message, [field]: id })).status,
        ]).toEqual([field, 422])
    }
    const { json: all } = await call('GET', '/v1/sessions?limit=1000')
    expect(all.sessions.map(({ id }: { id: string }) => id).toSorted()).toEqual(HOSTILE.toSorted())
    for (const { messages } of all.sessions) expect(messages).toBe(1)
    const { json: documents } = await call('GET', '/v1/memory?limit=1000')
    expect(documents.documents).toHaveLength(3 * HOSTILE.length)
    await opened.close()
    const files = readdirSync(around, { recursive: true, withFileTypes: true }).filter(
      entry => !entry.isDirectory(),
    )
    expect(files.length).toBeGreaterThanOrEqual(3 * HOSTILE.length)
    for (const { parentPath } of files) expect(`${parentPath}/`.startsWith(`${workspace}/`)).toBe(true)
    expect(({} as Record<string, unknown>)['layer']).toBeUndefined()
  })

  test('an id of a key is no SQL either', async () => {
    await using client = await openClient(own)
    const store = await own.open()
    const key = await addKey(store)
    for (const id of ["' OR '1'='1", '%', '__proto__', '../..', 'x'.repeat(100_000)]) {
      const headers = {
        authorization: `Bearer pal_${encodeURIComponent(id)}_${key.split('_').slice(2).join('_')}`,
      }
      expect((await client.call('GET', '/v1/sessions', undefined, headers)).status).toBe(401)
    }
    expect((await client.call('GET', '/v1/sessions', undefined, { 'x-api-key': key })).status).toBe(200)
    for (const { id } of await store.keys.listKeys()) await store.keys.removeKey(id)
    await store.close()
  })
})
