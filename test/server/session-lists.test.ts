import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPalimpsest, type SessionPage } from '../../packages/palimpsest/src/index.ts'
import { PLACES } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

describe.each(Object.entries(PLACES))('sessions on %s', (_, newPlace) => {
  const place = newPlace()
  let client: Client
  const ids = async (query: string) => {
    const { json, status } = await client.call('GET', `/v1/sessions${query}`)
    expect(status).toBe(200)
    return { ids: json.sessions.map(({ id }: { id: string }) => id), next: json.next }
  }

  beforeAll(async () => {
    client = await openClient(place)
    for (const id of ['telegram:1', 'Telegram:2', 'web-100%', 'web-1000', 'telegram:3'])
      await client.call('POST', `/v1/sessions/${encodeURIComponent(id)}/messages`, { messages: talk(2) })
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await place.remove()
  })

  test('are found by a part of their id, page by page', async () => {
    expect(await ids('?q=TELEGRAM')).toEqual({ ids: ['Telegram:2', 'telegram:1', 'telegram:3'], next: null })
    const first = await ids('?q=telegram&limit=2')
    expect(first).toEqual({ ids: ['Telegram:2', 'telegram:1'], next: 'telegram:1' })
    expect(await ids(`?q=telegram&limit=2&after=${first.next}`)).toEqual({ ids: ['telegram:3'], next: null })
    expect((await ids('?q=100%25')).ids).toEqual(['web-100%'])
    expect((await ids('?q=_')).ids).toEqual([])
    expect((await ids('?q=')).ids).toHaveLength(5)
    expect((await ids('?q=telegram&order=id')).ids).toHaveLength(3)
  })

  test('come with those first in which something happened last', async () => {
    await client.call('POST', '/v1/sessions/web-1000/messages', { role: 'user', text: 'now' })
    expect(await ids('?order=recent&limit=3')).toEqual({
      ids: ['web-1000', 'telegram:3', 'web-100%'],
      next: null,
    })
    expect((await ids('?order=recent&q=telegram:')).ids).toEqual(['telegram:3', 'Telegram:2', 'telegram:1'])
    await client.call('POST', '/v1/sessions/telegram:1/rollback', { toSeq: 1 })
    expect((await ids('?order=recent')).ids[0]).toBe('telegram:1')
  })

  test('are all there, however much others have done since', async () => {
    const store = await place.open()
    await using palimpsest = await createPalimpsest({ store })
    const newest = await store.sessions.listRecentSessions('default', { limit: 1 })
    vi.spyOn(store.sessions, 'listRecentSessions').mockResolvedValue(newest)
    const recent = async (page: SessionPage) =>
      (await palimpsest.sessions({ ...page, order: 'recent' })).map(({ id }) => id)
    const others = ['Telegram:2', 'telegram:3', 'web-100%', 'web-1000']
    expect(await recent({})).toEqual(['telegram:1', ...others])
    expect(await recent({ limit: 3 })).toEqual(['telegram:1', ...others.slice(0, 2)])
    expect(await recent({ limit: 1 })).toEqual(['telegram:1'])
    expect(await recent({ contains: 'TELE' })).toEqual(['telegram:1', 'Telegram:2', 'telegram:3'])
  })

  test('say when their newest message was, and what is raw and what is folded', async () => {
    const path = '/v1/sessions/figures'
    const messages = talk(30).map((message, index) => ({ ...message, at: `2026-02-10T14:${10 + index}:00Z` }))
    await client.call('POST', `${path}/messages`, { messages })
    const all = (await client.call('GET', `${path}/messages`)).json.messages
    const tokensOf = (from: number) =>
      all.slice(from).reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0)
    expect((await client.call('GET', path)).json).toMatchObject({
      lastMessageAt: '2026-02-10T14:39:00.000Z',
      rawTokens: tokensOf(0),
      segmentTokens: 0,
    })
    await client.call('POST', `${path}/compact`, { policy: 'count', keepLast: 8, force: true })
    const { json: folded } = await client.call('GET', path)
    const { segments } = (await client.call('GET', `${path}/segments`)).json
    expect(folded).toMatchObject({
      rawMessages: 8,
      rawTokens: tokensOf(22),
      segmentTokens: segments.reduce(
        (sum: number, { tokensAfter }: { tokensAfter: number }) => sum + tokensAfter,
        0,
      ),
    })
    const listed = (await client.call('GET', '/v1/sessions?q=figures')).json.sessions
    expect(listed).toEqual([folded])
    await client.call('POST', `${path}/rollback`, { toSeq: 0 })
    expect((await client.call('GET', path)).json).toMatchObject({
      lastMessageAt: null,
      rawTokens: 0,
      segmentTokens: 0,
    })
  })

  test('are refused with reasons', async () => {
    for (const [query, field] of [
      ['order=newest', 'order'],
      ['order=recent&after=a', 'after'],
      ['q=a%00b', 'q'],
      [`q=${'x'.repeat(5_000)}`, 'q'],
    ])
      expect(await client.call('GET', `/v1/sessions?${query}`)).toMatchObject({
        status: 422,
        json: { error: { code: 'invalid_argument', details: { field } } },
      })
  })
})
