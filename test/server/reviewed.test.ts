import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { openApp, startServer } from '../../src/server/index.ts'
import { newKey } from '../../src/server/keys/new-key.ts'
import { Revisions } from '../../src/server/revisions.ts'
import type { Scope, Store } from '../../src/store/index.ts'
import { startModelServer } from '../../src/testing/index.ts'
import { PLACES, sqlitePlace } from '../stores.ts'
import { openClient, talk } from './client.ts'

/** What a review found. */

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function open(options: Partial<Parameters<typeof openApp>[0]> = {}, create = sqlitePlace) {
  const place = create()
  const store = await place.open()
  const opened = await openApp({ store, ...options })
  cleanUp.push(
    () => place.remove(),
    () => opened.close(),
  )
  const call = async (method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) => {
    const response = await opened.app.request(path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
    return { status: response.status, json: text === '' ? null : (JSON.parse(text) as any), text }
  }
  return { place, store, opened, call }
}

async function addKey(store: Store, namespace: string, scopes: readonly Scope[]) {
  const { key, written } = newKey({ name: 'bot', namespace, scopes, now: new Date(0) })
  await store.keys.addKey(key)
  return { id: key.id, written }
}

describe('keys', () => {
  test('one that was revoked does not lead to another namespace, though it was the last', async () => {
    const { store, call } = await open()
    await call('POST', '/v1/sessions/of-default/messages', { body: { role: 'user', text: 'secret' } })
    const { id, written: key } = await addKey(store, 'customer', ['read'])
    expect((await call('GET', '/v1/sessions', { key })).json.sessions).toEqual([])
    await store.keys.removeKey(id)
    expect((await call('GET', '/v1/sessions', { key })).status).toBe(401)
    expect((await call('PUT', '/v1/settings', { key, body: { threshold: 3 } })).status).toBe(401)
    expect((await call('GET', '/v1/sessions', { key: 'sk-of-somebody-else' })).status).toBe(200)
  })

  test("an admin of a namespace is not sent the operator's key for the model, and cannot raise limits", async () => {
    await using models = await startModelServer({ reply: 'Yes.' })
    const secret = 'sk-operator-secret-4711'
    const { store, call } = await open({
      environment: {
        model: 'openai-compatible:x',
        modelBaseUrl: 'http://127.0.0.1:1/v1',
        modelApiKey: secret,
      },
    })
    const { written: key } = await addKey(store, 'customer', ['admin'])
    const elsewhere = { modelBaseUrl: models.url }
    expect((await call('PUT', '/v1/settings', { key, body: elsewhere })).status).toBe(422)
    const own = { ...elsewhere, modelApiKey: 'sk-of-the-customer' }
    expect((await call('PUT', '/v1/settings', { key, body: own })).status).toBe(200)
    const body = { model: 'x', user: 'chat', messages: [{ role: 'user', content: 'hi' }] }
    expect((await call('POST', '/v1/chat/completions', { key, body })).status).toBe(200)
    expect(models.requests.length).toBeGreaterThan(0)
    expect(JSON.stringify(models.requests.map(({ headers }) => headers))).not.toContain(secret)
    const raised = await call('PUT', '/v1/settings', { key, body: { maxBodyBytes: 500_000_000 } })
    expect([raised.status, raised.json.error.code]).toEqual([422, 'invalid_settings'])
  })

  test('a namespace that is erased is without its settings in every process', async () => {
    const { place, store, call } = await open()
    const other = await openApp({ store: await place.open() })
    cleanUp.push(() => other.close())
    await call('PUT', '/v1/settings', { body: { memoInstructions: 'secret of the tenant' } })
    const { palimpsest } = await other.tenant('default')
    const receipt = await palimpsest.forget({ kind: 'namespace' })
    await palimpsest.erased(receipt.id)
    expect(await store.settings.readSettings('default')).toEqual({})
    expect((await call('GET', '/v1/settings')).json.settings.memoInstructions).toBeNull()
    const there = await other.app.request('/v1/settings')
    expect(await there.text()).not.toContain('secret of the tenant')
  })

  test('one tenant that cannot be opened keeps nobody else from being served', async () => {
    const { place, store } = await open()
    const { written: key } = await addKey(store, 'good', ['read'])
    await addKey(store, 'broken', ['read'])
    const warnings: string[] = []
    const failing = await place.open()
    const readSettings = failing.settings.readSettings.bind(failing)
    failing.settings.readSettings = namespace =>
      namespace === 'broken' ? Promise.reject(new Error('unreadable')) : readSettings(namespace)
    const other = await openApp({ store: failing, onWarning: warning => warnings.push(warning) })
    cleanUp.push(() => other.close())
    expect(warnings).toEqual([expect.stringContaining('broken')])
    const answer = await other.app.request('/v1/sessions', { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
  })

  test('a proxy in front needs keys from the start', async () => {
    const place = sqlitePlace()
    cleanUp.push(() => place.remove())
    const store = await place.open()
    const starting = startServer({ store, port: 0, allowedHosts: ['memory.example.com'] })
    await expect(starting).rejects.toMatchObject({ code: 'keys_needed' })
  })
})

test('what a store says of itself is for the log, and not for whoever calls', async () => {
  const errors: unknown[] = []
  const { store, call } = await open({ onError: error => errors.push(error) })
  const { written: key } = await addKey(store, 'default', ['read'])
  await store.close()
  const { status, text } = await call('GET', '/v1/sessions', { key })
  expect(status).toBe(503)
  expect(text).not.toContain('/tmp')
})

test('what is not even HTTP is answered in the same shape', async () => {
  const place = sqlitePlace()
  const server = await startServer({ store: await place.open(), port: 0 })
  cleanUp.push(
    () => place.remove(),
    () => server.close(),
  )
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET /v1/search?q=发布 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*x-request-id: /s)
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.code).toBe('malformed_request')
})

test('a reading that never ends keeps nobody else waiting', async () => {
  let calls = 0
  const revisions = new Revisions({
    readRevision: () => (calls++ === 0 ? new Promise<number>(() => {}) : Promise.resolve(7)),
  })
  void revisions.current()
  expect(await revisions.current()).toBe(7)
})

describe('settings of a session', () => {
  test('that do not fit any more are left out one by one, and shown as they are in force', async () => {
    const { call } = await open({ environment: { policy: 'count' } })
    await call('POST', '/v1/sessions/s/messages', { body: { role: 'user', text: 'hi' } })
    await call('PUT', '/v1/sessions/s/settings', { body: { threshold: 6 } })
    await call('PUT', '/v1/settings', { body: { keepLast: 10, threshold: 20 } })
    const { json } = await call('GET', '/v1/sessions/s/settings')
    expect([json.settings.threshold, json.sources.threshold]).toEqual([20, 'stored'])
    await call('PUT', '/v1/settings', { body: { keepLast: 2 } })
    const again = await call('GET', '/v1/sessions/s/settings')
    expect([again.json.settings.threshold, again.json.sources.threshold]).toEqual([6, 'session'])
  })

  test('changed at once never add up to what does not fit', async () => {
    const { call } = await open({ environment: { policy: 'count' } })
    await call('POST', '/v1/sessions/s/messages', { body: { role: 'user', text: 'hi' } })
    const put = (body: object) => call('PUT', '/v1/sessions/s/settings', { body })
    const tried = await Promise.all([put({ threshold: 12 }), put({ keepLast: 18 })])
    expect(tried.map(({ status }) => status).sort()).toEqual([200, 422])
  })

  test('what a request asks for has to fit them', async () => {
    const { call } = await open({ environment: { policy: 'count' } })
    await call('POST', '/v1/sessions/s/messages', { body: { messages: talk(23) } })
    await call('PUT', '/v1/sessions/s/settings', { body: { threshold: 40, keepLast: 30 } })
    const folded = await call('POST', '/v1/sessions/s/compact', { body: { threshold: 22 } })
    expect([folded.status, folded.json.error.code]).toEqual([422, 'invalid_settings'])
  })

  test('have an entity tag', async () => {
    await using client = await openClient(sqlitePlace())
    await client.call('POST', '/v1/sessions/s/messages', { role: 'user', text: 'hi' })
    const path = '/v1/sessions/s/settings'
    const tag = (await client.call('GET', path)).headers.get('etag')!
    expect((await client.call('GET', path, undefined, { 'if-none-match': tag })).status).toBe(304)
    const put = (threshold: number) => client.call('PUT', path, { threshold }, { 'if-match': tag })
    expect((await put(30)).status).toBe(200)
    expect((await put(31)).json.error.code).toBe('settings_conflict')
  })
})

test('a setting that is stored under an older name can be taken away and replaced', async () => {
  const { store, call } = await open()
  await store.settings.writeSettings('default', { 'session.resize.every_n_turns': 9 })
  const read = async () => (await call('GET', '/v1/settings')).json
  expect((await read()).settings.everyNTurns).toBe(9)
  await call('PUT', '/v1/settings', { body: { everyNTurns: 5 } })
  expect((await read()).settings.everyNTurns).toBe(5)
  await call('PUT', '/v1/settings', { body: { everyNTurns: null } })
  expect((await read()).sources.everyNTurns).toBe('default')
})

test.for(Object.entries(PLACES))(
  '%s: a repeated append judges, counts and indexes nothing again',
  async ([, place]) => {
    const { opened, call } = await open({ environment: { policy: 'count' } }, place)
    const append = () =>
      opened.app.request('/v1/sessions/s/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ messages: talk(2) }),
      })
    expect((await append()).status).toBe(201)
    for (let time = 0; time < 3; time++) expect((await append()).status).toBe(200)
    const metrics = await (await opened.app.request('/metrics')).text()
    expect(metrics).toMatch(/palimpsest_messages_appended_total\{result="new"\} 2\n/)
    for (const [kind, status] of [
      ['private', 422],
      ['group', 409],
    ] as const) {
      const other = await opened.app.request('/v1/sessions/s/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ messages: talk(2), kind }),
      })
      expect([kind, other.status]).toEqual([kind, status])
    }
    expect((await call('GET', '/v1/sessions/s')).json.messages).toBe(2)
  },
)

test('whoever may only read changes nothing by a context, nor does one that is refused', async () => {
  const { store, call } = await open({ environment: { policy: 'tokens', budget: 4_000 } })
  await call('POST', '/v1/sessions/s/messages', { body: { role: 'user', text: 'hi' } })
  const key = { namespace: 'default', id: 's' }
  const overhead = async () => (await store.sessions.readSession(key))!.state.overheadTokens
  const refused = await call('POST', '/v1/sessions/s/context', {
    body: { instructions: 'x y '.repeat(9_000) },
  })
  expect(refused.status).toBe(422)
  expect(await overhead()).toBe(0)
  const { written } = await addKey(store, 'default', ['read'])
  const body = { instructions: 'x y '.repeat(900) }
  expect((await call('POST', '/v1/sessions/s/context', { key: written, body })).status).toBe(200)
  expect(await overhead()).toBe(0)
})

test('a page of another site cannot make a browser call unseen, but may link here', async () => {
  const { opened } = await open()
  const call = (headers: Record<string, string>) => opened.app.request('/v1/sessions', { headers })
  const site = { 'sec-fetch-site': 'cross-site' }
  expect((await call({ ...site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
  expect((await call({ ...site, 'sec-fetch-mode': 'navigate' })).status).toBe(200)
  expect((await call({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).status).toBe(200)
})
