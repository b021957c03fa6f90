import { afterAll, describe, expect, test } from 'vitest'
import { postgresPlace, sqlitePlace } from '../stores.ts'
import { openClient, talk } from './client.ts'

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('on %s', (_, newPlace) => {
  const place = newPlace()
  afterAll(() => place.remove())

  test('messages are appended, read in pages, edited and counted', async () => {
    await using client = await openClient(place)
    const path = '/v1/sessions/telegram:42/messages'
    const first = await client.call('POST', path, {
      role: 'user',
      text: 'Shall we ship on Friday?',
      sender: { id: 'u7', name: 'Ann' },
      at: '2026-01-15T08:00:00Z',
      externalId: 'm-1',
      kind: 'group',
      scope: 'project-1',
    })
    expect(first).toMatchObject({
      status: 201,
      json: { messages: [{ id: 'telegram:42/1', seq: 1, duplicate: false }] },
    })
    const more = await client.call('POST', path, {
      messages: [
        { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], replyTo: 'm-1' },
        { role: 'user', text: 'Good.', sender: 'Bob' },
      ],
    })
    expect(more).toMatchObject({ status: 201, json: { messages: [{ seq: 2 }, { seq: 3 }] } })
    const page = await client.call('GET', `${path}?after=0&limit=2`)
    expect(page).toMatchObject({
      status: 200,
      json: {
        next: 2,
        messages: [
          {
            id: 'telegram:42/1',
            seq: 1,
            role: 'user',
            sender: { id: 'u7', name: 'Ann' },
            content: 'Shall we ship on Friday?',
            text: 'Shall we ship on Friday?',
            at: '2026-01-15T08:00:00.000Z',
            externalId: 'm-1',
            archived: false,
          },
          { seq: 2, content: [{ type: 'text', text: 'Yes.' }], text: 'Yes.', replyTo: 'm-1' },
        ],
      },
    })
    expect((await client.call('GET', `${path}?after=2&limit=2`)).json).toMatchObject({
      next: null,
      messages: [{ seq: 3, sender: { id: 'Bob' } }],
    })
    expect((await client.call('GET', `${path}?after=3`)).json).toEqual({ messages: [], next: null })
    expect(await client.call('PATCH', `${path}/3`, { text: 'Very good.' })).toMatchObject({
      status: 200,
      json: { seq: 3, version: 2 },
    })
    expect((await client.call('GET', '/v1/sessions/telegram:42')).json).toMatchObject({
      id: 'telegram:42',
      kind: 'group',
      scope: 'project-1',
      messages: 3,
      rawMessages: 3,
      segments: 0,
      turns: 2,
      compactedThrough: 0,
      compactedThroughTurn: 0,
      lastFoldAt: null,
      folding: false,
      pending: false,
      memo: null,
      lastOutcome: null,
    })
  })

  test('a repeat adds nothing, and a conflict changes nothing', async () => {
    await using client = await openClient(place)
    const path = '/v1/sessions/again/messages'
    const messages = [
      { role: 'user', text: 'one', externalId: '1' },
      { role: 'user', text: 'two', externalId: '2' },
    ]
    expect((await client.call('POST', path, { messages })).status).toBe(201)
    expect(await client.call('POST', path, { messages })).toMatchObject({
      status: 200,
      json: {
        messages: [
          { seq: 1, duplicate: true },
          { seq: 2, duplicate: true },
        ],
      },
    })
    const some = [...messages, { role: 'user', text: 'three', externalId: '3' }]
    expect((await client.call('POST', path, { messages: some })).status).toBe(201)
    const conflict = [
      { role: 'user', text: 'new' },
      { role: 'user', text: 'other', externalId: '1' },
    ]
    expect(await client.call('POST', path, { messages: conflict })).toMatchObject({
      status: 409,
      json: { error: { code: 'message_conflict', details: { externalId: '1', seq: 1 } } },
    })
    const wrong = [
      { role: 'user', text: 'new' },
      { role: 'bot', text: 'x' },
    ]
    expect(await client.call('POST', path, { messages: wrong })).toMatchObject({
      status: 422,
      json: { error: { code: 'invalid_message', details: { field: 'messages[1].role' } } },
    })
    expect((await client.call('GET', '/v1/sessions/again')).json.messages).toBe(3)
  })

  test('fifty posts at once all arrive, in an order', async () => {
    await using client = await openClient(place)
    const path = '/v1/sessions/crowd/messages'
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        client.call('POST', path, { role: 'user', text: `no ${index}` }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
    const seqs = answers.map(({ json }) => json.messages[0].seq).sort((one, other) => one - other)
    expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  })

  test('sessions are listed in pages', async () => {
    await using client = await openClient(place)
    for (const id of ['list:a', 'list:b', 'list:c'])
      await client.call('POST', `/v1/sessions/${id}/messages`, { role: 'user', text: 'x' })
    const page = await client.call('GET', '/v1/sessions?after=list:&limit=2')
    expect(page.json).toMatchObject({
      sessions: [{ id: 'list:a', messages: 1 }, { id: 'list:b' }],
      next: 'list:b',
    })
  })

  test('folds by force and by the policy, rolls back and forks', async () => {
    await using client = await openClient(place)
    const session = '/v1/sessions/fold'
    await client.call('POST', `${session}/messages`, { messages: talk(30) })
    expect((await client.call('POST', `${session}/compact`)).json).toMatchObject({
      outcome: 'skipped',
      reason: 'nothing_to_do',
    })
    const folded = await client.call('POST', `${session}/compact`, { policy: 'count', keepLast: 6 })
    expect(folded).toMatchObject({
      status: 200,
      json: { outcome: 'applied', reason: 'count', fromSeq: 1, toSeq: 24, segmentId: 1 },
    })
    expect((await client.call('GET', `${session}/segments`)).json.segments).toMatchObject([
      { id: 1, fromSeq: 1, toSeq: 24, messageCount: 24, level: 1, state: 'live', reason: 'count' },
    ])
    expect((await client.call('GET', `${session}/segments?all=true`)).json.segments).toHaveLength(1)
    expect((await client.call('GET', `${session}/messages?after=23&limit=2`)).json.messages).toMatchObject([
      { archived: true },
      { archived: false },
    ])
    expect(
      (await client.call('POST', `${session}/compact`, { force: 'lite', policy: 'count', keepLast: 2 })).json,
    ).toMatchObject({ outcome: 'applied', type: 'lite', reason: 'force', fromSeq: 25, toSeq: 28 })
    expect(await client.call('POST', `${session}/fork`, { id: 'fold/copy', atSeq: 29 })).toMatchObject({
      status: 201,
      json: { id: 'fold/copy', messages: 29, origin: { sessionId: 'fold', seq: 29 } },
    })
    expect((await client.call('POST', `${session}/fork`, { id: 'fold/copy' })).status).toBe(409)
    const begun = await client.call('POST', `${session}/new-beginning`)
    expect(begun).toMatchObject({ status: 200, json: { id: 'fold', beginning: { afterSeq: 30 } } })
    expect((await client.call('POST', `${session}/context`, {})).json).toMatchObject({
      messages: [],
      report: { beginsAfter: 30 },
    })
    expect((await client.call('POST', `${session}/new-beginning`)).json.beginning).toBeNull()
    expect((await client.call('DELETE', `${session}/new-beginning`)).json.beginning).toMatchObject({
      afterSeq: 30,
    })
    expect((await client.call('GET', session)).json.beginsAfter).toBeNull()
    expect(await client.call('POST', `${session}/rollback`, { toSeq: 10 })).toMatchObject({
      status: 200,
      json: { messages: 10, segments: 0 },
    })
  })

  test('overrides hold for their request only', async () => {
    await using client = await openClient(place)
    const session = '/v1/sessions/once'
    const overrides = { policy: 'count', threshold: 10, keepLast: 4 }
    const first = await client.call('POST', `${session}/messages`, { messages: talk(20), ...overrides })
    expect(first.json.decision).toMatchObject({ reason: 'count' })
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({ compactedThrough: 16, pending: false })
    const second = await client.call('POST', `${session}/messages`, { messages: talk(20) })
    expect(second.json.decision).toBeNull()
    await client.settled()
    expect((await client.call('GET', session)).json).toMatchObject({ compactedThrough: 16 })
    expect((await client.call('GET', '/v1/settings')).json).toMatchObject({
      settings: { policy: 'tokens', threshold: 20 },
      sources: { policy: 'default', threshold: 'default' },
    })
  })

  test('settings are merged, in force at once, and still there afterwards', async () => {
    {
      await using client = await openClient(place, { environment: { threshold: 30, zone: 'Asia/Shanghai' } })
      expect((await client.call('GET', '/v1/settings')).json).toMatchObject({
        settings: {
          policy: 'count',
          threshold: 30,
          zone: 'Asia/Shanghai',
          fullContextTurns: 4,
          model: null,
        },
        sources: { policy: 'environment', threshold: 'environment', fullContextTurns: 'default' },
      })
      const changed = await client.call('PUT', '/v1/settings', {
        policy: 'count',
        threshold: 12,
        keepLast: 5,
      })
      expect(changed).toMatchObject({
        status: 200,
        json: {
          settings: { policy: 'count', threshold: 12 },
          sources: { policy: 'stored', threshold: 'stored' },
        },
      })
      await client.call('PUT', '/v1/settings', { keepLast: 6 })
      const appended = await client.call('POST', '/v1/sessions/set/messages', { messages: talk(13) })
      expect(appended.json.decision).toMatchObject({ reason: 'count' })
      await client.settled()
      expect((await client.call('GET', '/v1/sessions/set')).json.compactedThrough).toBe(7)
    }
    await using again = await openClient(place, { environment: { threshold: 30 } })
    const names = ['everyNTurns', 'fullContextTurns', 'cachedContextTurns', 'idleSec', 'contextSize']
    await Promise.all(names.map((name, index) => again.call('PUT', '/v1/settings', { [name]: 50 + index })))
    const { settings } = (await again.call('GET', '/v1/settings')).json
    expect(names.map(name => settings[name])).toEqual([50, 51, 52, 53, 54])
    expect((await again.call('GET', '/v1/settings')).json).toMatchObject({
      settings: { policy: 'count', threshold: 12, keepLast: 6 },
      sources: { keepLast: 'stored', zone: 'default' },
    })
    const none = Object.fromEntries(names.map(name => [name, null]))
    const removed = await again.call('PUT', '/v1/settings', {
      ...none,
      policy: null,
      threshold: null,
      keepLast: null,
    })
    expect(removed.json).toMatchObject({
      settings: { policy: 'count', threshold: 30 },
      sources: { policy: 'environment', threshold: 'environment' },
      policyChosenBy: ['threshold'],
    })
  })
})
