import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { type AppOptions, openApp, startServer } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { acceptedEncoding } from '../../packages/server/src/page/encoding.ts'
import { sqlitePlace } from '../stores.ts'
import { HOSTILE_PARTS } from './fuzz-parts.ts'

const place = sqlitePlace()
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-inspector-'))
const built = join(folder, 'built')
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await place.remove()
})

const INDEX =
  '<!doctype html><title>Palimpsest</title><script type="module" src="/assets/main-1a2b.js"></script>'
const SCRIPT = `console.log(${JSON.stringify('strata '.repeat(500))})`
const SECRET = 'not a part of the page'

function build(target: string, index = INDEX): void {
  mkdirSync(join(target, 'assets', 'deeper'), { recursive: true })
  writeFileSync(join(target, 'index.html'), index)
  writeFileSync(join(target, 'secret.txt'), SECRET)
  writeFileSync(join(target, 'assets', 'main-1a2b.js'), SCRIPT)
  writeFileSync(join(target, 'assets', 'main-3c4d.css'), 'body{margin:0}')
  writeFileSync(join(target, 'assets', 'letters-5e6f.woff2'), new Uint8Array(100))
  writeFileSync(join(target, 'assets', 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(target, 'assets', 'deeper', 'x.js'), SECRET)
}
build(built)
writeFileSync(join(folder, 'outside.txt'), SECRET)
symlinkSync(join(folder, 'outside.txt'), join(built, 'assets', 'link.js'))

type Call = (path: string, init?: RequestInit) => Promise<Response>

async function withPage(
  use: (call: Call) => Promise<void>,
  options: Partial<AppOptions> = {},
): Promise<void> {
  await using opened = await openApp({ store: await place.open(), inspector: built, ...options })
  await use(async (path, init) => opened.app.request(path, init))
}

describe('the page', () => {
  test('is at the root, is asked for anew each time, and runs nothing but its own files', () =>
    withPage(async call => {
      const answer = await call('/')
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe(INDEX)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        etag: expect.stringMatching(/^"[\w-]+"$/),
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'x-request-id': expect.any(String),
      })
      const headers = { 'if-none-match': answer.headers.get('etag')! }
      const again = await call('/', { headers })
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect((await call('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    }))

  test('has assets that are kept for good, each with its type', () =>
    withPage(async call => {
      for (const [name, type] of [
        ['main-1a2b.js', 'text/javascript; charset=utf-8'],
        ['main-3c4d.css', 'text/css; charset=utf-8'],
        ['letters-5e6f.woff2', 'font/woff2'],
        ['mark.svg', 'image/svg+xml'],
      ] as const) {
        const { status, headers } = await call(`/assets/${name}`)
        expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
          200,
          type,
          'public, max-age=31536000, immutable',
        ])
      }
    }))

  test('is packed as the caller takes it', () =>
    withPage(async call => {
      const get = async (accept: string, name = 'main-1a2b.js') => {
        const { headers, ...answer } = await read(
          await call(`/assets/${name}`, { headers: { 'accept-encoding': accept } }),
        )
        expect(headers.get('vary')).toContain('accept-encoding')
        expect(headers.get('content-length')).toBe(String(answer.bytes.length))
        return { ...answer, tag: headers.get('etag'), encoding: headers.get('content-encoding') }
      }
      const brotli = await get('gzip, deflate, br, zstd')
      expect(brotli.encoding).toBe('br')
      expect(brotliDecompressSync(brotli.bytes).toString()).toBe(SCRIPT)
      const gzip = await get('gzip;q=0.5, br;q=0')
      expect(gzip.encoding).toBe('gzip')
      expect(gunzipSync(gzip.bytes).toString()).toBe(SCRIPT)
      const plain = await get('identity')
      expect([plain.encoding, plain.bytes.toString()]).toEqual([null, SCRIPT])
      expect(new Set([brotli.tag, gzip.tag, plain.tag]).size).toBe(3)
      expect(brotli.bytes.length).toBeLessThan(SCRIPT.length / 10)
      expect((await get('br', 'letters-5e6f.woff2')).encoding).toBeNull()
    }))

  test('answers HEAD, and no other method', () =>
    withPage(async call => {
      for (const path of ['/', '/assets/main-1a2b.js']) {
        const head = await read(await call(path, { method: 'HEAD' }))
        const get = await read(await call(path))
        expect([head.status, head.bytes.length]).toEqual([200, 0])
        expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
        expect(head.headers.get('content-length')).toBe(String(get.bytes.length))
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
          const refused = await call(path, { method })
          expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
        }
      }
    }))

  test('leads to nothing else, whatever stands in the path', () =>
    withPage(async call => {
      const others = [
        ...['secret.txt', '../secret.txt', '..%2Fsecret.txt', '%2e%2e%2fsecret.txt', '..%5Csecret.txt'],
        ...['link.js', 'deeper', 'deeper/x.js', 'deeper%2Fx.js', 'main-1a2b.js%00', 'MAIN-1A2B.JS'],
        // Two dots lead back to the page itself.
        ...HOSTILE_PARTS.filter(part => part !== '..' && part !== '%2e%2e'),
      ]
      for (const part of others) {
        const { status, bytes } = await read(await call(`/assets/${part}`))
        expect([part, status >= 400 && status < 500]).toEqual([part, true])
        expect(bytes.toString()).not.toContain(SECRET)
      }
      for (const path of ['/secret.txt', '/index.html', '/assets', '/assets/'])
        expect([path, (await call(path)).status]).toEqual([path, 404])
    }))

  test('is not in the document of the API', () =>
    withPage(async call => {
      const { paths } = (await (await call('/openapi.json')).json()) as { paths: object }
      expect(Object.keys(paths).filter(path => path === '/' || path.startsWith('/assets'))).toEqual([])
    }))

  test('says what to do where it is not built, and is there once it is', async () => {
    const late = join(folder, 'late')
    await withPage(
      async call => {
        const missing = await call('/')
        expect([missing.status, missing.headers.get('content-type')]).toEqual([
          200,
          'text/html; charset=utf-8',
        ])
        const text = await missing.text()
        expect(text).toContain('npm run build')
        expect(text).toContain('/openapi.json')
        expect((await call('/assets/main-1a2b.js')).status).toBe(404)
        build(late)
        expect(await (await call('/')).text()).toBe(INDEX)
        // One build is served to the end, so that a page finds its own assets.
        build(late, 'another')
        expect(await (await call('/')).text()).toBe(INDEX)
      },
      { inspector: late },
    )
  })

  test('is not kept as long as it is not all there', async () => {
    const half = join(folder, 'half')
    await withPage(
      async call => {
        build(half)
        rmSync(join(half, 'assets', 'main-1a2b.js'))
        expect(await (await call('/')).text()).toContain('npm run build')
        build(half)
        expect(await (await call('/')).text()).toBe(INDEX)
        expect((await call('/assets/main-1a2b.js')).status).toBe(200)
      },
      { inspector: half },
    )
  })

  test('is not served where it is not wanted', () =>
    withPage(async call => expect((await call('/')).status).toBe(404), { inspector: false }))
})

describe('who gets the page', () => {
  test('whoever calls by a name of the server, without a key; the API still asks for one', async () => {
    const own = sqlitePlace()
    const store = await own.open()
    const { key } = newKey({ name: 'k', namespace: 'default', scopes: ['admin'], now: new Date() })
    await store.keys.addKey(key)
    const server = await startServer({ store, host: '0.0.0.0', port: 0, inspector: built })
    const url = `http://127.0.0.1:${server.port}`
    expect(await (await fetch(url)).text()).toBe(INDEX)
    expect((await fetch(`${url}/assets/main-1a2b.js`)).status).toBe(200)
    expect((await fetch(`${url}/v1/sessions`)).status).toBe(401)
    await server.close()
    await own.remove()
  })

  test('nobody under another name, and no other site', () =>
    withPage(async call => {
      const status = async (path: string, headers: Record<string, string>) =>
        (await call(path, { headers })).status
      for (const path of ['/', '/assets/main-1a2b.js']) {
        expect(await status(path, { host: 'rebound.example' })).toBe(403)
        expect(await status(path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403)
        expect(await status(path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200)
      }
    }))

  test('over a socket nothing outside is read, however the path is written', async () => {
    const server = await startServer({ store: await place.open(), port: 0, inspector: built })
    const get = (path: string) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) =>
        httpRequest({ host: '127.0.0.1', port: server.port, path }, async response => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode, text })
        })
          .on('error', reject)
          .end(),
      )
    expect((await get('/')).text).toBe(INDEX)
    for (const path of ['/assets/../secret.txt', '/assets/%2e%2e/secret.txt', '/assets/..%2fsecret.txt']) {
      const { status, text } = await get(path)
      expect(status).toBe(path.includes('%2f') ? 404 : 400)
      expect(text).not.toContain(SECRET)
    }
    await server.close()
  })
})

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.1, gzip', 'br'],
  ['GZIP', 'gzip'],
  ['br; q=0, gzip; q=0.001', 'gzip'],
  ['*', 'br'],
  ['*;q=0, gzip', 'gzip'],
  ['deflate', 'identity'],
  ['', 'identity'],
  ['br;q=', 'br'],
  [',;,', 'identity'],
])('of %j it is %s', (header, expected) => expect(acceptedEncoding(header)).toBe(expected))

async function read(response: Response) {
  const { status, headers } = response
  return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
