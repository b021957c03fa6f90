import { describe, expect, test } from 'vitest'
import { PLACES, type StorePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

async function withClient(place: StorePlace, use: (client: Client) => Promise<void>): Promise<void> {
  try {
    await using client = await openClient(place, { environment: { policy: 'count', threshold: 30 } })
    await use(client)
    expect(client.errors).toEqual([])
  } finally {
    await place.remove()
  }
}

const say = (client: Client, chat: string, count: number, more: object = {}) =>
  client.call('POST', `/v1/sessions/${chat}/messages`, { messages: talk(count), ...more })

describe.for(Object.entries(PLACES))('%s: settings of a session', ([, place]) => {
  test('come over the stored ones, for that session alone, in its folds and contexts', () =>
    withClient(place(), async client => {
      await say(client, 'own', 1)
      await say(client, 'other', 1)
      const put = await client.call('PUT', '/v1/sessions/own/settings', { threshold: 4, keepLast: 2 })
      expect(put.json.settings).toMatchObject({ policy: 'count', threshold: 4, keepLast: 2 })
      expect(put.json.sources).toMatchObject({ policy: 'environment', threshold: 'session', zone: 'default' })
      await client.call('PUT', '/v1/settings', { threshold: 25 })
      const decided = await say(client, 'own', 4)
      expect(decided.json.decision).toMatchObject({ reason: 'count' })
      expect((await say(client, 'other', 4)).json.decision).toBeNull()
      await client.settled()
      expect((await client.call('GET', '/v1/sessions/own')).json).toMatchObject({
        messages: 5,
        rawMessages: 2,
        segments: 1,
      })
      expect((await client.call('GET', '/v1/sessions/other')).json.rawMessages).toBe(5)
    }))

  test('a request comes over them, and they come over nothing that a request says', () =>
    withClient(place(), async client => {
      await say(client, 'chat', 1)
      await client.call('PUT', '/v1/sessions/chat/settings', { threshold: 4, keepLast: 2 })
      expect((await say(client, 'chat', 8, { threshold: 20 })).json.decision).toBeNull()
      expect((await say(client, 'chat', 1)).json.decision.reason).toBe('count')
    }))

  test('the budget of a context is that of its session', () =>
    withClient(place(), async client => {
      await say(client, 'chat', 20)
      const budgetOf = async (body = {}) =>
        (await client.call('POST', '/v1/sessions/chat/context', body)).json.report.budget
      await client.call('PUT', '/v1/sessions/chat/settings', { policy: 'tokens', budget: 2_000 })
      expect(await budgetOf()).toBe(2_000)
      expect(await budgetOf({ budget: 3_000 })).toBe(3_000)
      await client.call('PUT', '/v1/sessions/chat/settings', { policy: null, budget: null })
      const { json } = await client.call('GET', '/v1/sessions/chat/settings')
      expect([json.settings.policy, json.sources.policy]).toEqual(['count', 'environment'])
      expect(await budgetOf()).not.toBe(2_000)
    }))
})

test('they survive a restart, and what does not fit others any more stops nothing', async () => {
  const place = PLACES.SQLite()
  const environment = { policy: 'window' }
  try {
    {
      await using client = await openClient(place, { environment })
      await say(client, 'chat', 1)
      const put = await client.call('PUT', '/v1/sessions/chat/settings', { tailKeepSize: 60 })
      expect(put.status).toBe(200)
    }
    await using client = await openClient(place, { environment: { ...environment, contextSize: 50 } })
    expect((await say(client, 'chat', 1)).status).toBe(201)
    expect((await client.call('POST', '/v1/sessions/chat/context', {})).status).toBe(200)
  } finally {
    await place.remove()
  }
})

test('what is wrong is named, and changes nothing', () =>
  withClient(PLACES.SQLite(), async client => {
    const put = (body: unknown, chat = 'chat') => client.call('PUT', `/v1/sessions/${chat}/settings`, body)
    expect((await put({ threshold: 3 }, 'none')).json.error.code).toBe('session_not_found')
    await say(client, 'chat', 1)
    await put({ threshold: 9 })
    for (const [body, name] of [
      [{ threshold: 'many', keepLast: 1 }, 'threshold'],
      [{ nonsense: 1 }, 'nonsense'],
      [{ model: 'openai:x' }, 'model'],
      [{ port: 1 }, 'port'],
      [{ outputReserve: 100 }, 'outputReserve'],
      [{ policy: 'window', tailKeepSize: 90 }, 'tailKeepSize'],
    ] as const) {
      const { status, json } = await put(body)
      expect([status, json.error.code]).toEqual([422, 'invalid_settings'])
      expect(json.error.message).toContain(name)
    }
    const { json } = await client.call('GET', '/v1/sessions/chat/settings')
    expect(json.settings).toMatchObject({ policy: 'count', threshold: 9 })
    expect(Object.values(json.sources).filter(source => source === 'session')).toHaveLength(1)
  }))
