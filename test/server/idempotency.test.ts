import { describe, expect, test } from 'vitest'
import { PLACES, type StorePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'
import { openServer } from './server-kit.ts'

async function withClient(place: StorePlace, use: (client: Client) => Promise<void>): Promise<void> {
  try {
    await using client = await openClient(place, { environment: { policy: 'count' } })
    await use(client)
    expect(client.errors).toEqual([])
  } finally {
    await place.remove()
  }
}

const key = (value: string) => ({ 'idempotency-key': value })

describe.for(Object.entries(PLACES))(
  '%s: a request with an Idempotency-Key is carried out once',
  ([, place]) => {
    test('an append, however often and at once it is sent', () =>
      withClient(place(), async client => {
        const path = '/v1/sessions/chat/messages'
        const body = { messages: talk(3) }
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => client.call('POST', path, body, key('one'))),
        )
        expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
        for (const { json } of answers)
          expect(json.messages.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3])
        await client.call('POST', path, body, key('two'))
        expect((await client.call('GET', '/v1/sessions/chat')).json.messages).toBe(6)
        const other = await client.call('POST', path, { text: 'else', role: 'user' }, key('one'))
        expect([other.status, other.json.error.code]).toEqual([422, 'request_conflict'])
        expect((await client.call('GET', '/v1/sessions/chat')).json.messages).toBe(6)
      }))

    test('what is added to a memory document', () =>
      withClient(place(), async client => {
        const path = '/v1/memory/user/ann'
        const send = (name: string) => client.call('PATCH', path, { append: 'likes lemons' }, key(name))
        const [first, second] = [await send('a'), await send('a')]
        expect([first.status, second.status]).toEqual([201, 201])
        expect(second.json).toEqual(first.json)
        expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
          null,
          'true',
        ])
        expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
        await send('b')
        const { json } = await client.call('GET', path)
        expect(json.content.split('lemons').length - 1).toBe(2)
      }))

    test('a fork, a rollback and an undo', () =>
      withClient(place(), async client => {
        await client.call('POST', '/v1/sessions/chat/messages', { messages: talk(6) })
        const fork = () => client.call('POST', '/v1/sessions/chat/fork', { id: 'copy', atSeq: 4 }, key('f'))
        const [first, again] = [await fork(), await fork()]
        expect([first.status, again.status]).toEqual([201, 201])
        expect(again.json).toEqual(first.json)
        const back = () => client.call('POST', '/v1/sessions/chat/rollback', { toSeq: 2 }, key('r'))
        await back()
        await client.call('POST', '/v1/sessions/chat/messages', { role: 'user', text: 'new' })
        expect((await back()).json.messages).toBe(3)
        for (const content of ['one', 'two', 'three'])
          await client.call('PUT', '/v1/memory/user/ann', { content })
        const undo = () => client.call('POST', '/v1/memory/user/ann/undo', {}, key('u'))
        await undo()
        expect((await undo()).json.content).toContain('two')
      }))

    test('a new beginning, and one that is taken back', () =>
      withClient(place(), async client => {
        const path = '/v1/sessions/chat/new-beginning'
        for (const name of ['a', 'b']) {
          await client.call('POST', '/v1/sessions/chat/messages', { messages: talk(2) })
          await client.call('POST', path, undefined, key(name))
        }
        expect((await client.call('POST', path, undefined, key('a'))).json.beginning.afterSeq).toBe(2)
        const undo = () => client.call('DELETE', path, undefined, key('u'))
        const answers = [await undo(), await undo()]
        expect(answers.map(({ json }) => json.beginning.afterSeq)).toEqual([4, 4])
        expect((await client.call('GET', '/v1/sessions/chat')).json.beginsAfter).toBe(2)
      }))

    test('a fold', () =>
      withClient(place(), async client => {
        await client.call('POST', '/v1/sessions/chat/messages', { messages: talk(12) })
        const fold = () => client.call('POST', '/v1/sessions/chat/compact', { force: true }, key('c'))
        const first = await fold()
        expect(first.json.outcome).toBe('applied')
        expect((await fold()).json).toEqual(first.json)
        expect((await client.call('GET', '/v1/sessions/chat')).json.segments).toBe(1)
      }))
  },
)

test('what was refused may be sent again with the same key', () =>
  withClient(PLACES.SQLite(), async client => {
    const fork = () => client.call('POST', '/v1/sessions/chat/fork', { id: 'copy' }, key('f'))
    expect((await fork()).status).toBe(404)
    await client.call('POST', '/v1/sessions/chat/messages', { role: 'user', text: 'hi' })
    expect((await fork()).status).toBe(201)
  }))

test.for(['', ' ', 'a b', 'ü', 'x'.repeat(256)])('a key that is none is refused: %j', given =>
  withClient(PLACES.SQLite(), async client => {
    const headers = new Headers()
    const sent = given === 'ü' ? Buffer.from(given).toString('latin1') : given
    headers.set('idempotency-key', sent)
    if (headers.get('idempotency-key') === '') return
    const { status, json } = await client.call(
      'POST',
      '/v1/sessions/chat/messages',
      { role: 'user', text: 'hi' },
      {
        'idempotency-key': sent,
      },
    )
    expect([status, json.error.details.field]).toEqual([422, 'Idempotency-Key'])
    expect((await client.call('GET', '/v1/sessions/chat')).status).toBe(404)
  }),
)

test.for(Object.entries(PLACES))(
  '%s: a repeated append judges, counts and indexes nothing again',
  async ([, place]) => {
    const { opened, call } = await openServer({ environment: { policy: 'count' } }, place)
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
