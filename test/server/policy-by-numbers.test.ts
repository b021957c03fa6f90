import { afterAll, describe, expect, test } from 'vitest'
import { readEnvironment } from '../../packages/palimpsest/src/config/index.ts'
import { openApp } from '../../packages/server/src/index.ts'
import { PLACES } from '../stores.ts'
import { openClient, talk } from './client.ts'

/** After five rounds, with A = 1 and B = 1, four of them are folded. */
const A_AND_B = { fullContextTurns: 1, cachedContextTurns: 1 }
const FOLDED = { compactedThroughTurn: 4 }

describe.each(Object.entries(PLACES))('on %s', (_, newPlace) => {
  const place = newPlace()
  afterAll(() => place.remove())

  test('A and B of the environment are in force by themselves', async () => {
    const { layer } = readEnvironment({
      PALIMPSEST_FULL_CONTEXT_TURNS: '1',
      PALIMPSEST_CACHED_CONTEXT_TURNS: '1',
    })
    await using client = await openClient(place, { environment: layer })
    await client.call('POST', '/v1/sessions/env/messages', { messages: talk(10) })
    await client.settled()
    expect((await client.call('GET', '/v1/sessions/env')).json).toMatchObject(FOLDED)
    expect((await client.call('GET', '/v1/settings')).json).toMatchObject({
      settings: { policy: 'rounds' },
      sources: { policy: 'environment' },
      policyChosenBy: ['fullContextTurns', 'cachedContextTurns'],
    })
  })

  test('so are those that are stored, of a session and of a request', async () => {
    await using client = await openClient(place)
    const sent = await client.call('POST', '/v1/sessions/asked/messages', { messages: talk(10), ...A_AND_B })
    expect(sent.json.decision).toMatchObject({ reason: 'rounds' })
    await client.call('POST', '/v1/sessions/own/messages', { messages: talk(2) })
    const own = await client.call('PUT', '/v1/sessions/own/settings', A_AND_B)
    expect(own.json).toMatchObject({ settings: { policy: 'rounds' }, sources: { policy: 'session' } })
    await client.call('POST', '/v1/sessions/own/messages', { messages: talk(8) })
    const stored = await client.call('PUT', '/v1/settings', { 'agent.contextWindow': A_AND_B })
    expect(stored.json).toMatchObject({
      settings: { policy: 'rounds', ...A_AND_B },
      sources: { policy: 'stored', fullContextTurns: 'stored' },
    })
    await client.call('POST', '/v1/sessions/stored/messages', { messages: talk(10) })
    await client.settled()
    for (const id of ['own', 'stored'])
      expect((await client.call('GET', `/v1/sessions/${id}`)).json).toMatchObject(FOLDED)
    await client.call('PUT', '/v1/settings', { 'agent.contextWindow': null })
    expect((await client.call('GET', '/v1/settings')).json).toMatchObject({ settings: { policy: 'tokens' } })
  })

  test('numbers of two policies are refused unless one is named', async () => {
    await using client = await openClient(place)
    const both = { fullContextTurns: 2, threshold: 9 }
    const says = 'threshold for count; fullContextTurns for rounds'
    const refused = async (method: string, path: string, body: object) => {
      const { status, json } = await client.call(method, path, body)
      expect({ status, code: json.error.code }).toEqual({ status: 422, code: 'invalid_settings' })
      expect(json.error.message).toContain(says)
      expect(json.error.details.problems[0].setting).toBe('policy')
    }
    await client.call('POST', '/v1/sessions/two/messages', { messages: talk(2) })
    await refused('PUT', '/v1/settings', both)
    await refused('PUT', '/v1/sessions/two/settings', both)
    await refused('POST', '/v1/sessions/two/messages', { messages: talk(2), ...both })
    await refused('POST', '/v1/sessions/two/context', both)
    await refused('POST', '/v1/sessions/two/compact', both)
    expect((await client.call('GET', '/v1/sessions/two')).json.messages).toBe(2)
    expect((await client.call('PUT', '/v1/settings', { ...both, policy: 'count' })).status).toBe(200)
    // Without the name they would be of two again.
    await refused('PUT', '/v1/settings', { policy: null })
    const one = await client.call('PUT', '/v1/settings', { policy: null, threshold: null })
    expect(one.json).toMatchObject({ settings: { policy: 'rounds' } })
    await client.call('PUT', '/v1/settings', { fullContextTurns: null })
    const store = await place.open()
    const environment = { fullContextTurns: 2, threshold: 9 }
    const opening = openApp({ store, environment, version: '1', onError: () => {} }).then(app =>
      app.tenant('default'),
    )
    await expect(opening).rejects.toThrow(
      /PALIMPSEST_POLICY.*PALIMPSEST_THRESHOLD for count; PALIMPSEST_FULL_CONTEXT_TURNS for rounds/,
    )
    await store.close()
  })

  test('what an older version stored of two is told, and the default holds; older names come under the new ones', async () => {
    const store = await place.open()
    await store.settings.writeSettings('default', {
      'agent.contextWindow': { fullContextTurns: 6, cachedContextTurns: 2 },
      context_size: 60,
    })
    await store.close()
    await using client = await openClient(place)
    const first = (await client.call('GET', '/v1/settings')).json
    expect(first).toMatchObject({
      settings: { policy: 'tokens', fullContextTurns: 6, cachedContextTurns: 2, contextSize: 60 },
      sources: { policy: 'default', fullContextTurns: 'stored' },
    })
    expect(first.messages.join()).toContain('numbers of several policies are set')
    // What has nothing to do with it can be changed all the same.
    expect((await client.call('PUT', '/v1/settings', { zone: 'Asia/Shanghai' })).status).toBe(200)
    const changed = await client.call('PUT', '/v1/settings', { contextSize: null, fullContextTurns: null })
    expect(changed.json).toMatchObject({
      settings: { policy: 'rounds', fullContextTurns: 4, cachedContextTurns: 2, contextSize: 75 },
      sources: { fullContextTurns: 'default', cachedContextTurns: 'stored', contextSize: 'default' },
    })
    expect(changed.json.messages).toBeUndefined()
    await client.call('PUT', '/v1/settings', { cachedContextTurns: null, zone: null })
  })

  test('a request takes the names of the sliding window', async () => {
    await using client = await openClient(place)
    const window = {
      context_size: 20,
      tail_keep_size: 4,
      compression_window_size: 3,
      compression_hard_limit: 6,
    }
    const sent = await client.call('POST', '/v1/sessions/w/messages', {
      messages: talk(8),
      ...window,
      compression_cooldown_sec: 60,
    })
    expect(sent.json.decision).toMatchObject({ reason: 'window' })
    await client.settled()
    expect((await client.call('GET', '/v1/sessions/w')).json).toMatchObject({ compactedThrough: 4 })
    const context = await client.call('POST', '/v1/sessions/w/context', { 'agent.contextWindow': A_AND_B })
    expect(context.status).toBe(200)
  })
})
