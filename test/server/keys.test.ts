import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { Scope, Store } from '../../packages/palimpsest/src/store/index.ts'
import { openApp } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { hashSecret, isSecretOf } from '../../packages/server/src/keys/secret.ts'
import { parseKey, sentKey } from '../../packages/server/src/keys/written-key.ts'
import { PLACES, sqlitePlace } from '../stores.ts'
import { openClient } from './client.ts'

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function addKey(
  store: Store,
  of: { name?: string; namespace?: string; scopes?: readonly Scope[] } = {},
): Promise<{ id: string; written: string }> {
  const { name = 'bot', namespace = 'default', scopes = ['read', 'write'] } = of
  const { key, written } = newKey({ name, namespace, scopes, now: new Date(0) })
  await store.keys.addKey(key)
  return { id: key.id, written }
}

describe('a key', () => {
  const of = { name: 'bot', namespace: 'default', scopes: ['write', 'read', 'read'], now: new Date(1) }

  test('has an id, a secret, and is kept as a hash', () => {
    const { key, written } = newKey(of)
    const { id, secret } = parseKey(written)!
    expect(key).toEqual({
      ...of,
      id,
      scopes: ['read', 'write'],
      createdAt: new Date(1),
      hash: hashSecret(secret),
      now: undefined,
    })
    expect(id).toMatch(/^[2-9a-hjkmnp-z]{10}$/)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect(JSON.stringify(key)).not.toContain(secret)
    expect(key.hash).toMatch(/^[\da-f]{64}$/)
    expect(newKey(of).written).not.toBe(written)
  })

  test.each([
    [{ name: '' }],
    [{ name: ' bot' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 'a\nb' }],
    [{ name: 'a\u202eb' }],
    [{ name: 'a\ud800' }],
    [{ namespace: '' }],
    [{ namespace: 'x'.repeat(201) }],
    [{ scopes: [] }],
    [{ scopes: ['read', 'root'] }],
  ])('%j is refused', changes => {
    expect(() => newKey({ ...of, ...changes })).toThrow('cannot be taken')
  })

  test('may be called anything that people can read', () => {
    for (const name of ['a page 🎉', '机器人', "o'Neil; DROP TABLE", 'x'.repeat(100)])
      expect(newKey({ ...of, name }).key.name).toBe(name)
  })

  test('is read as it is written, and in no other way', () => {
    const { written } = newKey(of)
    for (const text of [
      '',
      'pal_',
      `${written}=`,
      ` ${written}`,
      written.slice(0, -1),
      written.toUpperCase(),
      'sk-x',
    ])
      expect(parseKey(text)).toBeNull()
  })

  test('is taken from either header; two that differ are none', () => {
    const sent = (headers: Record<string, string>) => sentKey(name => headers[name])
    expect(sent({ authorization: 'bearer  a' })).toBe('a')
    expect(sent({ 'x-api-key': 'a' })).toBe('a')
    expect(sent({ authorization: 'Bearer a', 'x-api-key': 'a' })).toBe('a')
    expect(sent({ authorization: 'Bearer a', 'x-api-key': 'b' })).toBeNull()
    expect(sent({ authorization: 'Basic a', 'x-api-key': 'a' })).toBeNull()
    expect(sent({})).toBeNull()
  })
})

describe('a secret', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  test('is compared in constant time, also where there is no key', () => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual')
    syncBuiltinESMExports()
    expect(isSecretOf({ hash: hashSecret('right') }, 'right')).toBe(true)
    expect(isSecretOf({ hash: hashSecret('right') }, 'wrong')).toBe(false)
    expect(isSecretOf(null, 'right')).toBe(false)
    expect(compare).toHaveBeenCalledTimes(3)
    for (const [one, other] of compare.mock.calls) expect(one.byteLength).toBe(other.byteLength)
  })

  test('fits no hash that is damaged', () => {
    for (const hash of ['', 'zz', hashSecret('right').slice(2)])
      expect(isSecretOf({ hash }, 'right')).toBe(false)
  })
})

describe.each(Object.entries(PLACES))('on %s', (_, newPlace) => {
  const place = newPlace()
  afterAll(() => place.remove())

  test('nobody is asked for a key until there is one; it is in force at once, and gone at once', async () => {
    await using client = await openClient(place)
    const other = await place.open()
    const list = (headers: Record<string, string> = {}) =>
      client.call('GET', '/v1/sessions', undefined, headers)
    expect((await list()).status).toBe(200)
    // Some clients cannot do without.
    expect((await list(bearer('sk-whatever'))).status).toBe(200)
    const first = await addKey(other, { name: 'first' })
    const second = await addKey(other, { name: 'second' })
    expect((await list()).status).toBe(401)
    for (const { written } of [first, second]) {
      expect((await list(bearer(written))).status).toBe(200)
      expect((await list({ 'x-api-key': written })).status).toBe(200)
    }
    await other.keys.removeKey(first.id)
    expect((await list(bearer(first.written))).status).toBe(401)
    expect((await list(bearer(second.written))).status).toBe(200)
    await other.keys.removeKey(second.id)
    expect((await list()).status).toBe(200)
    await other.close()
  })

  test('a key opens its own namespace, and nothing of others', async () => {
    await using client = await openClient(place)
    const store = await place.open()
    const keys = await Promise.all(
      ['one', 'two'].map(namespace => addKey(store, { name: 'bot', namespace, scopes: ['admin'] })),
    )
    const [one, two] = [bearer(keys[0]!.written), bearer(keys[1]!.written)]
    for (const [headers, text] of [
      [one, 'of one'],
      [two, 'of two'],
    ] as const) {
      const added = await client.call('POST', '/v1/sessions/same/messages', { role: 'user', text }, headers)
      expect(added).toMatchObject({ status: 201, json: { messages: [{ seq: 1 }] } })
      const read = await client.call('GET', '/v1/sessions/same/messages', undefined, headers)
      expect(read.json.messages).toMatchObject([{ text }])
    }
    expect((await client.call('PUT', '/v1/settings', { policy: 'count' }, one)).status).toBe(200)
    expect((await client.call('GET', '/v1/settings', undefined, one)).json.settings.policy).toBe('count')
    expect((await client.call('GET', '/v1/settings', undefined, two)).json.settings.policy).toBe('tokens')
    for (const { id } of keys) await store.keys.removeKey(id)
    await store.close()
  })
})

describe('a server with keys', () => {
  const place = sqlitePlace()
  afterAll(() => place.remove())

  test('refuses every key that is wrong in the same words, and repeats nothing of it', async () => {
    await using client = await openClient(place)
    const store = await place.open()
    const { id, written } = await addKey(store, { name: 'right' })
    const revoked = await addKey(store, { name: 'revoked' })
    await store.keys.removeKey(revoked.id)
    const { written: unknown } = newKey({
      name: 'x',
      namespace: 'default',
      scopes: ['read'],
      now: new Date(),
    })
    const wrongSecret = `pal_${id}_${parseKey(unknown)!.secret}`
    const refused: Record<string, string>[] = [
      {},
      bearer(unknown),
      bearer(wrongSecret),
      bearer(revoked.written),
      bearer(written.slice(0, -1)),
      bearer('canary-that-is-no-key'),
      { authorization: written },
      { authorization: `Basic ${btoa(`x:${written}`)}` },
      { ...bearer(written), 'x-api-key': unknown },
      { 'x-api-key': `${written}, ${written}` },
    ]
    const answers = await Promise.all(
      refused.map(headers => client.call('GET', '/v1/sessions', undefined, headers)),
    )
    for (const { status, json, headers } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(json).toEqual(answers[0]!.json)
      expect(json.error).toMatchObject({ code: 'key_required', details: {} })
      expect(json.error.message).toContain('palimpsest keys create')
    }
    expect((await client.call('GET', '/v1/sessions', undefined, bearer(written))).status).toBe(200)
    await store.keys.removeKey(id)
    await store.close()
  })

  test('lets nobody do more than the scopes of their key', async () => {
    await using client = await openClient(place)
    const store = await place.open()
    const status = async (scopes: readonly Scope[], method: string, path: string, body?: unknown) => {
      const { id, written } = await addKey(store, { name: 'scoped', scopes })
      const answer = await client.call(method, path, body, bearer(written))
      await store.keys.removeKey(id)
      return answer.status
    }
    const message = { role: 'user', text: 'x' }
    for (const [scopes, ...expected] of [
      [['read'], 200, 403, 403],
      [['write'], 403, 201, 403],
      [['read', 'write'], 200, 201, 403],
      [['admin'], 200, 201, 200],
    ] as const) {
      expect(await status(scopes, 'GET', '/v1/sessions')).toBe(expected[0])
      expect(await status(scopes, 'POST', '/v1/sessions/s/messages', message)).toBe(expected[1])
      expect(await status(scopes, 'PUT', '/v1/settings', { policy: 'tokens' })).toBe(expected[2])
    }
    await store.close()
  })

  test('asks before it looks at anything: paths, methods and bodies of others are told nothing', async () => {
    await using client = await openClient(place)
    const store = await place.open()
    const { id } = await addKey(store)
    const { json: document } = await client.call('GET', '/openapi.json')
    for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, unknown>>))
      for (const method of [...Object.keys(methods), 'delete', 'options']) {
        const real = path.replaceAll(/\{\w+\}/g, '1')
        const { status } = await client.raw(real, { method: method.toUpperCase() })
        if (path !== '/healthz' && path !== '/openapi.json')
          expect([`${method} ${path}`, status]).toEqual([`${method} ${path}`, 401])
      }
    expect((await client.call('GET', '/healthz')).status).toBe(200)
    await store.keys.removeKey(id)
    await store.close()
  })

  test('that is meant for others lets nobody in without one, although there is none', async () => {
    for (const options of [
      { needsKeys: true },
      { trustsProxy: true },
      { allowedHosts: ['memory.example.com'] },
    ]) {
      await using opened = await openApp({ store: await place.open(), ...options })
      const headers = { host: 'memory.example.com' }
      const call = (path: string, extra = {}) =>
        opened.app.request(path, { headers: { ...('allowedHosts' in options && headers), ...extra } })
      expect((await call('/v1/sessions')).status).toBe(401)
      expect((await call('/v1/sessions', bearer('sk-x'))).status).toBe(401)
      expect((await call('/healthz')).status).toBe(200)
      const store = await place.open()
      const { id, written } = await addKey(store)
      expect((await call('/v1/sessions', bearer(written))).status).toBe(200)
      await store.keys.removeKey(id)
      await store.close()
    }
  })

  test('reads a key once for as long as nothing has changed, and one that is not there every time', async () => {
    const store = await place.open()
    const { id, written } = await addKey(store)
    const read = vi.spyOn(store.keys, 'readKey')
    const opened = await openApp({ store })
    const call = (key: string) => opened.app.request('/v1/sessions', { headers: bearer(key) })
    await Promise.all(Array.from({ length: 20 }, () => call(written)))
    expect(read).toHaveBeenCalledTimes(1)
    const other = newKey({ name: 'x', namespace: 'default', scopes: ['read'], now: new Date() })
    expect((await call(other.written)).status).toBe(401)
    await store.keys.addKey(other.key)
    expect((await call(other.written)).status).toBe(200)
    for (const each of [id, other.key.id]) await store.keys.removeKey(each)
    await opened.close()
  })

  test('says so where the store fails, and lets nobody in', async () => {
    const store = await place.open()
    const { id, written } = await addKey(store)
    const errors: unknown[] = []
    const opened = await openApp({ store, onError: error => errors.push(error) })
    const failing = vi.spyOn(store.keys, 'readKey').mockRejectedValueOnce(new Error('disk'))
    const call = () => opened.app.request('/v1/sessions', { headers: bearer(written) })
    expect((await call()).status).toBe(500)
    expect((await call()).status).toBe(200)
    expect(failing).toHaveBeenCalledTimes(2)
    expect(errors).toHaveLength(1)
    await store.keys.removeKey(id)
    await opened.close()
  })
})
