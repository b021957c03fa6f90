import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { PLACES } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

describe.each(Object.entries(PLACES))('the history of a session on %s', (_, newPlace) => {
  const place = newPlace()
  const path = '/v1/sessions/chat'
  let client: Client
  beforeAll(async () => {
    client = await openClient(place, { environment: { policy: 'rounds' } })
    await client.call('POST', `${path}/messages`, { messages: talk(12) })
    for (const message of talk(14)) {
      await client.call('POST', `${path}/messages`, message)
      await client.settled()
    }
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await place.remove()
  })

  test('messages are read from the newest on, in ascending order', async () => {
    const seqs: number[][] = []
    let before: number | null = 26
    while (before !== null) {
      const { json } = await client.call('GET', `${path}/messages?from=newest&limit=10&before=${before}`)
      seqs.push(json.messages.map(({ seq }: { seq: number }) => seq))
      before = json.next
    }
    const upTo = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => from + index)
    expect(seqs).toEqual([upTo(16, 25), upTo(6, 15), upTo(1, 5)])
    const newest = (await client.call('GET', `${path}/messages?from=newest&limit=2`)).json
    expect(newest).toMatchObject({ next: 25, messages: [{ seq: 25 }, { seq: 26 }] })
    const between = (await client.call('GET', `${path}/messages?after=4&before=8&from=newest`)).json
    expect(between).toMatchObject({ next: null, messages: [{ seq: 5 }, { seq: 6 }, { seq: 7 }] })
    expect((await client.call('GET', `${path}/messages?before=4`)).json).toMatchObject({
      next: null,
      messages: [{ seq: 1 }, { seq: 2 }, { seq: 3 }],
    })
    expect((await client.call('GET', `${path}/messages?before=1&from=newest`)).json).toEqual({
      messages: [],
      next: null,
    })
    expect((await client.call('GET', `${path}/messages?from=middle`)).status).toBe(422)
  })

  test('folds are listed, the newest first, with what they saw and what they took', async () => {
    const { folds, next } = (await client.call('GET', `${path}/folds`)).json
    expect(next).toBeNull()
    expect(folds.length).toBeGreaterThan(1)
    const oldest = folds.at(-1)
    expect(oldest).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(/^20.*Z$/),
      outcome: 'applied',
      type: 'lite',
      reason: 'rounds',
      fromSeq: 1,
      toSeq: 6,
      throughSeq: 14,
      tokensBefore: expect.any(Number),
      tokensAfter: expect.any(Number),
      durationMs: expect.any(Number),
      segmentIds: [1],
    })
    expect(oldest).toHaveProperty('usage')
    const throughs = folds.map(({ throughSeq }: { throughSeq: number }) => throughSeq)
    expect(throughs).toEqual(throughs.toSorted((one: number, other: number) => other - one))
    const first = (await client.call('GET', `${path}/folds?limit=1`)).json
    expect(first).toEqual({ folds: [folds[0]], next: folds[0].id })
    expect((await client.call('GET', `${path}/folds?before=${first.next}`)).json.folds).toEqual(
      folds.slice(1),
    )
  })

  test('a fold that failed is among them', async () => {
    await using model = await startModelServer({ reply: { error: { kind: 'unauthorized', message: 'no' } } })
    const environment = {
      policy: 'count',
      threshold: 100,
      keepLast: 2,
      model: 'openai-compatible:x',
      modelBaseUrl: model.url,
    }
    await using failing = await openClient(place, { environment })
    await failing.call('POST', '/v1/sessions/fails/messages', { messages: talk(20, 60) })
    await failing.call('POST', '/v1/sessions/fails/compact', { force: 'lite' })
    const [fold] = (await failing.call('GET', '/v1/sessions/fails/folds')).json.folds
    expect(fold).toMatchObject({
      outcome: 'failed',
      reason: 'unauthorized',
      fromSeq: 1,
      throughSeq: 20,
      segmentIds: [],
    })
  })

  test('growth is told at so many messages', async () => {
    const { messages } = (await client.call('GET', `${path}/messages`)).json
    const { points } = (await client.call('GET', `${path}/growth?points=6`)).json
    expect(points.map(({ seq }: { seq: number }) => seq)).toEqual([1, 6, 11, 16, 21, 26])
    const sum = (through: number) =>
      messages.slice(0, through).reduce((total: number, { tokens }: { tokens: number }) => total + tokens, 0)
    for (const { seq, tokens, at } of points)
      expect({ tokens, at }).toEqual({ tokens: sum(seq), at: messages[seq - 1].at })
    expect((await client.call('GET', `${path}/growth`)).json.points).toHaveLength(26)
  })

  test('is refused with reasons', async () => {
    for (const query of [
      'growth?points=1',
      'growth?points=1001',
      'folds?limit=501',
      'folds?before=x',
      'folds?before=0',
    ])
      expect(await client.call('GET', `${path}/${query}`)).toMatchObject({
        status: 422,
        json: { error: { code: 'invalid_argument' } },
      })
    for (const part of ['growth', 'folds', 'messages?from=newest'])
      expect((await client.call('GET', `/v1/sessions/nobody/${part}`)).json.error.code).toBe(
        'session_not_found',
      )
    await client.call('POST', '/v1/sessions/empty/messages', { role: 'user', text: 'x' })
    await client.call('POST', '/v1/sessions/empty/rollback', { toSeq: 0 })
    expect((await client.call('GET', '/v1/sessions/empty/growth')).json).toEqual({ points: [] })
    expect((await client.call('GET', '/v1/sessions/empty/folds')).json).toEqual({ folds: [], next: null })
  })
})
