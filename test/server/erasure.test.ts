import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningServer, startServer } from '../../packages/server/src/index.ts'
import { postgresPlace, sqlitePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

interface Place {
  readonly place: string
  readonly count: number
  readonly state: 'done' | 'pending'
}

const countOf = ({ places }: { places: readonly Place[] }, name: string) =>
  places.find(({ place }) => place === name)?.count ?? 0

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('erasure on %s', (_, newPlace) => {
  const place = newPlace()
  let client: Client
  beforeAll(async () => {
    client = await openClient(place)
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await place.remove()
  })

  const append = (session: string, body: object) =>
    client.call('POST', `/v1/sessions/${session}/messages`, body)

  const found = async (q: string) =>
    (await client.call('GET', `/v1/search?q=${q}`)).json.results.map(
      ({ sessionId, seq }: { sessionId: string; seq: number }) => `${sessionId}/${seq}`,
    )

  /** Right away nothing can be seen; what is left is over some time. */
  async function erase(path: string) {
    const { status, json, headers } = await client.call('DELETE', path)
    expect(status).toBe(json.done ? 200 : 202)
    expect(json).toEqual({
      id: expect.any(Number),
      target: expect.any(Object),
      requestedAt: expect.stringMatching(/Z$/),
      done: expect.any(Boolean),
      places: expect.any(Array),
    })
    expect(headers.get('location')).toBe(`/v1/erasures/${json.id}`)
    return json
  }

  async function receiptOf(id: number) {
    return vi.waitFor(
      async () => {
        const { status, json } = await client.call('GET', `/v1/erasures/${id}`)
        expect(status).toBe(200)
        expect(json).toMatchObject({ id, done: true })
        expect(json.places.every(({ state }: Place) => state === 'done')).toBe(true)
        return json
      },
      { timeout: 30_000, interval: 50 },
    )
  }

  test('a message is gone from the log, the index, the segments and the contexts', async () => {
    await append('chat', {
      messages: talk(40).toSpliced(5, 1, { role: 'user', text: 'The code is zanzibar.' }),
    })
    await client.call('POST', '/v1/sessions/chat/compact', { policy: 'count' })
    expect(await found('zanzibar')).toEqual(['chat/6'])
    const begun = await erase('/v1/sessions/chat/messages/6')
    expect(await found('zanzibar')).toEqual([])
    const told = await Promise.all([
      client.call('GET', '/v1/sessions/chat/messages?limit=1000'),
      client.call('GET', '/v1/sessions/chat/segments?all=true'),
      client.call('POST', '/v1/sessions/chat/context', { query: 'What is the code?' }),
      client.call('GET', '/v1/sessions/chat'),
    ])
    expect(JSON.stringify(told)).not.toContain('zanzibar')
    const receipt = await receiptOf(begun.id)
    expect(receipt.target).toBeNull()
    expect(countOf(receipt, 'messages')).toBe(1)
    expect(countOf(receipt, 'segments')).toBeGreaterThanOrEqual(1)
    const messages = (await client.call('GET', '/v1/sessions/chat/messages?limit=1000')).json.messages
    expect(messages.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1).filter(seq => seq !== 6),
    )
    const repeated = await erase('/v1/sessions/chat/messages/6')
    expect(countOf(await receiptOf(repeated.id), 'messages')).toBe(0)
  })

  test('a session is gone with all that is its own; another may take its name', async () => {
    await append('a%2Fb', { messages: talk(30) })
    await client.call('PATCH', '/v1/memory/chat/a%2Fb', { append: '- likes tea' })
    const begun = await erase('/v1/sessions/a%2Fb')
    expect((await client.call('GET', '/v1/sessions/a%2Fb')).status).toBe(404)
    expect((await client.call('GET', '/v1/sessions/a%2Fb/messages')).status).toBe(404)
    expect((await client.call('GET', '/v1/memory/chat/a%2Fb')).status).toBe(404)
    expect((await client.call('DELETE', '/v1/sessions/a%2Fb')).json.error.code).toBe('session_not_found')
    await append('a%2Fb', { role: 'user', text: 'again' })
    expect((await client.call('GET', '/v1/sessions/a%2Fb/messages')).json.messages).toMatchObject([
      { seq: 1, text: 'again' },
    ])
    const receipt = await receiptOf(begun.id)
    expect(countOf(receipt, 'messages')).toBe(30)
    expect(countOf(receipt, 'sessions')).toBe(1)
    expect((await client.call('GET', '/v1/sessions/a%2Fb')).json.messages).toBe(1)
  })

  test('a person is gone wherever they spoke, and others stay', async () => {
    const eve = { id: 'u-eve', name: 'Eve' }
    await append('private', {
      ...{ kind: 'private', user: 'u-eve' },
      messages: [
        { role: 'user', text: 'my quokka', sender: eve },
        { role: 'assistant', text: 'a quokka?' },
      ],
    })
    await append('group', {
      kind: 'group',
      messages: [
        { role: 'user', text: 'a quokka for all', sender: eve },
        { role: 'user', text: 'what a quokka', sender: 'Bob' },
      ],
    })
    await client.call('PUT', '/v1/memory/user/u-eve', { content: '- has a quokka' })
    const begun = await erase('/v1/users/u-eve')
    expect(await found('quokka')).toEqual(['group/2'])
    expect((await client.call('GET', '/v1/sessions/private')).status).toBe(404)
    expect((await client.call('GET', '/v1/memory/user/u-eve')).status).toBe(404)
    expect(JSON.stringify((await client.call('GET', '/v1/sessions/group/messages')).json)).not.toContain(
      'Eve',
    )
    const receipt = await receiptOf(begun.id)
    expect(countOf(receipt, 'messages')).toBe(3)
    expect(JSON.stringify(receipt)).not.toContain('u-eve')
  })

  test('of somebody unknown there is nothing to erase, and a receipt that says so', async () => {
    const { id } = await erase('/v1/users/nobody%20here')
    const { places } = await receiptOf(id)
    expect(places.filter(({ place, count }: Place) => place !== 'database' && count > 0)).toEqual([])
  })

  test.each([
    ['DELETE', '/v1/sessions/nobody', 404, 'session_not_found', 'nobody'],
    ['DELETE', '/v1/sessions/nobody/messages/1', 404, 'session_not_found', 'nobody'],
    ['DELETE', '/v1/sessions/chat/messages/41', 404, 'message_not_found', '41'],
    ['DELETE', '/v1/sessions/chat/messages/0', 422, 'invalid_argument', 'seq: "0"'],
    ['DELETE', '/v1/sessions/chat/messages/x', 422, 'invalid_argument', 'at least 1'],
    ['DELETE', '/v1/sessions/chat?force=true', 422, 'invalid_argument', 'nothing in the query'],
    ['GET', '/v1/erasures/999999', 404, 'erasure_not_found', '999999'],
    ['GET', '/v1/erasures/x', 422, 'invalid_argument', 'at least 1'],
    ['DELETE', '/v1/erasures/1', 405, 'method_not_allowed', 'GET'],
    ['DELETE', '/v1/sessions/chat/messages', 405, 'method_not_allowed', 'POST, GET'],
    ['DELETE', '/v1/sessions', 405, 'method_not_allowed', 'GET'],
    ['DELETE', '/v1/namespaces/default', 404, 'route_not_found', ''],
    ['GET', '/v1/users/u-1', 405, 'method_not_allowed', 'DELETE'],
  ])('%s %s is a clear error, and erases nothing', async (method, path, status, code, message) => {
    const answer = await client.call(method, path)
    expect(answer).toMatchObject({ status, json: { error: { code } } })
    expect(answer.json.error.message).toContain(message)
    expect((await client.call('GET', '/v1/sessions/chat')).json.messages).toBe(39)
    expect(client.errors).toEqual([])
  })
})

describe('a listening server', () => {
  const place = sqlitePlace()
  afterAll(() => place.remove())
  const folder = dirname(place.address.replace('sqlite:', ''))
  const isOnDisk = (text: string) =>
    readdirSync(folder).some(name => readFileSync(join(folder, name)).includes(text))
  const start = async () => startServer({ store: await place.open(), port: 0 })

  const done = (server: RunningServer, id: number) =>
    vi.waitFor(
      async () => {
        const answer = await fetch(`${server.url}/v1/erasures/${id}`)
        expect(await answer.json()).toMatchObject({ done: true })
      },
      { timeout: 30_000, interval: 50 },
    )

  test('leaves no byte on the disk, and goes on after a restart', async () => {
    const first = await start()
    const session = `${first.url}/v1/sessions/chat`
    const messages = Array.from({ length: 500 }, (_, index) => ({
      role: 'user',
      text: `the wallaby number ${index} hops over the fence`,
    }))
    await fetch(`${session}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    })
    expect(isOnDisk('wallaby')).toBe(true)
    const answer = await fetch(session, { method: 'DELETE' })
    const { id } = (await answer.json()) as { id: number }
    await first.close()
    const second = await start()
    await done(second, id)
    expect((await fetch(`${second.url}/v1/sessions/chat`)).status).toBe(404)
    await second.close()
    expect(isOnDisk('wallaby')).toBe(false)
  })
})
