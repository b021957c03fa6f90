import { describe, expect, test } from 'vitest'
import { sqlitePlace } from '../stores.ts'
import { openClient, talk } from './client.ts'
import { openServer } from './server-kit.ts'

describe('settings of a session', () => {
  test('that do not fit any more are left out one by one, and shown as they are in force', async () => {
    const { call } = await openServer({ environment: { policy: 'count' } })
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
    const { call } = await openServer({ environment: { policy: 'count' } })
    await call('POST', '/v1/sessions/s/messages', { body: { role: 'user', text: 'hi' } })
    const put = (body: object) => call('PUT', '/v1/sessions/s/settings', { body })
    const tried = await Promise.all([put({ threshold: 12 }), put({ keepLast: 18 })])
    expect(tried.map(({ status }) => status).sort()).toEqual([200, 422])
  })

  test('what a request asks for has to fit them', async () => {
    const { call } = await openServer({ environment: { policy: 'count' } })
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
  const { store, call } = await openServer()
  await store.settings.writeSettings('default', { 'session.resize.every_n_turns': 9 })
  const read = async () => (await call('GET', '/v1/settings')).json
  expect((await read()).settings.everyNTurns).toBe(9)
  await call('PUT', '/v1/settings', { body: { everyNTurns: 5 } })
  expect((await read()).settings.everyNTurns).toBe(5)
  await call('PUT', '/v1/settings', { body: { everyNTurns: null } })
  expect((await read()).sources.everyNTurns).toBe('default')
})
