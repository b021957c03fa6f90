import { afterAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../packages/palimpsest/src/store/index.ts'
import { openApp } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { sqlitePlace } from '../stores.ts'
import { openClient } from './client.ts'

const place = sqlitePlace()
const withKeys = sqlitePlace()
afterAll(async () => {
  await place.remove()
  await withKeys.remove()
})

const messages = (id: string) => `/v1/sessions/${id}/messages`

describe('a session that is opened as something else', () => {
  test('is a conflict that names both, and stores nothing', async () => {
    await using client = await openClient(place)
    const ann = { role: 'user', text: 'mine', kind: 'private', user: 'ann' }
    expect((await client.call('POST', messages('s3'), ann)).status).toBe(201)
    const bob = { role: 'user', text: 'not mine', kind: 'group', user: 'bob' }
    for (const headers of [{}, { 'idempotency-key': 'k' }] as Record<string, string>[]) {
      const { status, json } = await client.call('POST', messages('s3'), bob, headers)
      expect(status).toBe(409)
      expect(json.error).toMatchObject({
        code: 'session_mismatch',
        details: { mismatches: [{ trait: 'kind' }, { trait: 'user', given: 'bob', stored: 'ann' }] },
      })
    }
    expect((await client.call('POST', messages('s3'), { role: 'user', text: 'no traits' })).status).toBe(201)
    expect((await client.call('GET', '/v1/sessions/s3')).json).toMatchObject({ messages: 2, user: 'ann' })
  })

  test('is not named to a key that may not read', async () => {
    const store = await withKeys.open()
    const keyOf = async (scopes: readonly Scope[]) => {
      const { key, written } = newKey({ name: `t-${scopes}`, namespace: 'default', scopes, now: new Date() })
      await store.keys.addKey(key)
      return { authorization: `Bearer ${written}`, 'content-type': 'application/json' }
    }
    const [writer, reader] = [await keyOf(['write']), await keyOf(['read'])]
    await using opened = await openApp({ store, needsKeys: true })
    const call = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
      const answer = await opened.app.request(path, { method, headers, body: JSON.stringify(body) })
      return { status: answer.status, text: await answer.text() }
    }
    await call('POST', messages('hers'), { role: 'user', text: 'x', user: 'dorothea' }, writer)
    const strange = { role: 'user', text: 'y', user: 'bob' }
    const refused = [
      await call('POST', messages('hers'), strange, writer),
      await call('POST', messages('hers'), strange, { ...writer, 'idempotency-key': 'k' }),
      await call('POST', messages('hers'), { ...strange, budget: 9_000 }, writer),
      await call('PATCH', '/v1/sessions/hers', { user: 'bob' }, writer),
    ]
    for (const { status, text } of refused) {
      expect(status).toBe(409)
      expect(text).toContain('bob')
      expect(text).not.toContain('dorothea')
    }
    expect((await call('PATCH', '/v1/sessions/hers', { scope: 'work' }, reader)).status).toBe(403)
    expect(await call('PATCH', '/v1/sessions/hers', { scope: 'work' }, writer)).toEqual({
      status: 200,
      text: '{"id":"hers","assigned":["scope"]}',
    })
  })
})

describe('PATCH /v1/sessions/{id}', () => {
  test('assigns what is missing, once', async () => {
    await using client = await openClient(place)
    const late = { role: 'user', text: 'hello', user: 'ann', scope: 'work' }
    await client.call('POST', messages('bare'), { role: 'user', text: 'from before' })
    const appended = await client.call('POST', messages('bare'), late)
    expect(appended.json.unassigned).toEqual(['user', 'scope'])
    const again = { ...late, externalId: 'e' }
    for (const _ of [1, 2]) {
      const { json } = await client.call('POST', messages('bare'), again, { 'idempotency-key': 'once' })
      expect(json.unassigned).toEqual(['user', 'scope'])
    }
    const patch = (body: unknown) => client.call('PATCH', '/v1/sessions/bare', body)
    expect(await patch({ user: 'ann' })).toMatchObject({
      status: 200,
      json: { id: 'bare', assigned: ['user'] },
    })
    expect(await patch({ user: 'ann' })).toMatchObject({ status: 200, json: { assigned: [] } })
    expect(await patch({ user: 'bob' })).toMatchObject({
      status: 409,
      json: { error: { code: 'session_mismatch' } },
    })
    for (const body of [{}, { kind: 'group' }, { user: '..' }, { scope: '' }, { user: 7 }])
      expect((await patch(body)).status).toBe(422)
    expect((await client.call('PATCH', '/v1/sessions/nowhere', { user: 'a' })).status).toBe(404)
    expect((await client.call('GET', '/v1/sessions/bare')).json).toMatchObject({ user: 'ann', scope: null })
    expect((await client.call('GET', '/v1/search?q=before&user=ann')).json.results).toHaveLength(1)
    const erased = await client.call('DELETE', '/v1/users/ann')
    expect(erased.status).toBeLessThan(300)
    expect((await client.call('GET', '/v1/sessions/bare')).status).toBe(404)
  })

  test('takes no . and .. for a new id', async () => {
    await using client = await openClient(place)
    const one = { role: 'user', text: 'x' }
    await client.call('POST', messages('good'), one)
    const status = async (method: string, path: string, body: unknown, headers = {}) =>
      (await client.call(method, path, body, headers)).status
    for (const id of ['.', '..']) {
      expect(await status('POST', messages('new'), { ...one, user: id })).toBe(422)
      expect(await status('POST', '/v1/sessions/good/fork', { id })).toBe(422)
      const chat = { model: 'x', messages: [{ role: 'user', content: 'hello' }] }
      const headers = { 'x-palimpsest-session': id }
      expect(await status('POST', '/v1/chat/completions', chat, headers)).toBe(422)
    }
    expect((await client.call('GET', '/v1/sessions?q=.')).json.sessions).toEqual([])
  })
})

describe('the headers of a chat completion', () => {
  test('describe a new session, and say nothing of one that is there', async () => {
    await using client = await openClient(place)
    const ask = (text: string, headers: Record<string, string>) =>
      client.call(
        'POST',
        '/v1/chat/completions',
        { model: 'palimpsest', messages: [{ role: 'user', content: text }] },
        { 'x-palimpsest-session': 'dropped', ...headers },
      )
    const ann = { 'x-palimpsest-kind': 'group', 'x-palimpsest-user': 'ann' }
    expect((await ask('one', ann)).status).toBe(200)
    expect((await ask('two', { 'x-palimpsest-user': 'bob', 'x-palimpsest-kind': 'agent' })).status).toBe(200)
    expect((await ask('three', { 'x-palimpsest-kind': 'nothing' })).status).toBe(422)
    expect((await client.call('GET', '/v1/sessions/dropped')).json).toMatchObject({
      ...{ kind: 'group', user: 'ann', messages: 4 },
    })
    const both = ['x', 'y'].map(user =>
      ask('at once', { 'x-palimpsest-session': 'raced', 'x-palimpsest-user': user }),
    )
    for (const { status } of await Promise.all(both)) expect(status).toBe(200)
  })
})
