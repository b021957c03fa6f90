import { describe, expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { openApp, startServer } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { addKey, openServer } from './server-kit.ts'

describe('keys', () => {
  test('one that was revoked does not lead to another namespace, though it was the last', async () => {
    const { store, call } = await openServer()
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
    const { store, call } = await openServer({
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
    const { place, store, call } = await openServer()
    const other = await openApp({ store: await place.open() })
    onTestFinished(() => other.close())
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
    const { place, store } = await openServer()
    const { written: key } = await addKey(store, 'good', ['read'])
    await addKey(store, 'broken', ['read'])
    const warnings: string[] = []
    const failing = await place.open()
    const readSettings = failing.settings.readSettings.bind(failing)
    failing.settings.readSettings = namespace =>
      namespace === 'broken' ? Promise.reject(new Error('unreadable')) : readSettings(namespace)
    const other = await openApp({ store: failing, onWarning: warning => warnings.push(warning) })
    onTestFinished(() => other.close())
    expect(warnings).toEqual([expect.stringContaining('broken')])
    const answer = await other.app.request('/v1/sessions', { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
  })

  test('a proxy in front needs keys from the start', async () => {
    const place = sqlitePlace()
    onTestFinished(() => place.remove())
    const store = await place.open()
    const starting = startServer({ store, port: 0, allowedHosts: ['memory.example.com'] })
    await expect(starting).rejects.toMatchObject({ code: 'keys_needed' })
  })
})

test('what a store says of itself is for the log, and not for whoever calls', async () => {
  const errors: unknown[] = []
  const { store, call } = await openServer({ onError: error => errors.push(error) })
  const { written: key } = await addKey(store, 'default', ['read'])
  await store.close()
  const { status, text } = await call('GET', '/v1/sessions', { key })
  expect(status).toBe(503)
  expect(text).not.toContain('/tmp')
})

test('whoever may only read changes nothing by a context, nor does one that is refused', async () => {
  const { store, call } = await openServer({ environment: { policy: 'tokens', budget: 4_000 } })
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
  const { opened } = await openServer()
  const call = (headers: Record<string, string>) => opened.app.request('/v1/sessions', { headers })
  const site = { 'sec-fetch-site': 'cross-site' }
  expect((await call({ ...site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
  expect((await call({ ...site, 'sec-fetch-mode': 'navigate' })).status).toBe(200)
  expect((await call({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).status).toBe(200)
})
