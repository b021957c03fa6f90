import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlitePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

const place = sqlitePlace()
let client: Client
beforeAll(async () => {
  client = await openClient(place)
  await client.call('POST', '/v1/sessions/s/messages', { messages: talk(5) })
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await place.remove()
})

const json = { 'content-type': 'application/json' }
const message = { role: 'user', text: 'x' }

describe('ids', () => {
  test.each([
    'a/b:c.d',
    'telegram:42',
    '🙂 聊天',
    '100%',
    '%2F',
    'a?b#c&d=e',
    'a b+c',
    '...',
    'line\r\nbreak',
    'x'.repeat(4_096),
  ])('%j is the id that it is', async id => {
    const path = `/v1/sessions/${encodeURIComponent(id)}`
    expect(await client.call('POST', `${path}/messages`, message)).toMatchObject({
      status: 201,
      json: { messages: [{ id: `${id}/1` }] },
    })
    expect((await client.call('GET', path)).json.id).toBe(id)
    expect((await client.call('GET', `${path}/messages`)).json.messages).toHaveLength(1)
  })

  test('a colon and a plus need no encoding', async () => {
    await client.call('POST', '/v1/sessions/one:two+three@x/messages', message)
    expect((await client.call('GET', '/v1/sessions/one%3Atwo%2Bthree%40x')).json.id).toBe('one:two+three@x')
  })
})

describe('a request that cannot be taken says why, and changes nothing', () => {
  const S = '/v1/sessions/s'
  test.each<[string, string, unknown, number, string, string]>([
    ['GET', '/v1/nothing', undefined, 404, 'route_not_found', 'GET /v1/nothing'],
    ['GET', '/index.html', undefined, 404, 'route_not_found', 'no route GET /index.html'],
    ['GET', '/assets/nothing.js', undefined, 404, 'route_not_found', 'no route GET /assets/nothing.js'],
    ['POST', '/', {}, 405, 'method_not_allowed', 'GET, HEAD'],
    ['POST', '/v1/chat', {}, 404, 'route_not_found', 'POST /v1/chat.'],
    ['DELETE', '/v1/settings', undefined, 405, 'method_not_allowed', 'GET, PUT'],
    ['PUT', `${S}/messages`, message, 405, 'method_not_allowed', 'POST, GET'],
    ['GET', '/v1/sessions/nobody', undefined, 404, 'session_not_found', 'nobody'],
    ['GET', '/v1/sessions/nobody/messages', undefined, 404, 'session_not_found', 'nobody'],
    ['GET', '/v1/sessions/nobody/segments', undefined, 404, 'session_not_found', 'nobody'],
    ['POST', '/v1/sessions/nobody/compact', {}, 404, 'session_not_found', 'nobody'],
    ['POST', '/v1/sessions/nobody/rollback', { toSeq: 1 }, 404, 'session_not_found', 'nobody'],
    ['POST', '/v1/sessions/nobody/fork', { id: 'x' }, 404, 'session_not_found', 'nobody'],
    ['PATCH', `${S}/messages/99`, { text: 'x' }, 404, 'message_not_found', '99'],
    ['PATCH', `${S}/messages/x`, { text: 'x' }, 422, 'invalid_argument', 'seq: "x"'],
    ['PATCH', `${S}/messages/1`, {}, 422, 'invalid_message', 'content'],
    ['PATCH', `${S}/messages/1`, { text: 'x', role: 'user' }, 422, 'invalid_argument', 'role: "user"'],
    ['GET', '/v1/sessions/100%', undefined, 400, 'malformed_request', '%25'],
    ['GET', '/v1/sessions/%ff/messages', undefined, 400, 'malformed_request', '/v1/sessions/%ff/messages'],
    ['GET', '/v1/sessions/a%00b', undefined, 422, 'invalid_argument', 'without NUL'],
    ['GET', `${S}/messages?limit=0`, undefined, 422, 'invalid_argument', 'a whole number from 1 to 1000'],
    ['GET', `${S}/messages?limit=1001`, undefined, 422, 'invalid_argument', 'limit: "1001"'],
    ['GET', `${S}/messages?limit=ten&after=-1`, undefined, 422, 'invalid_argument', 'after: "-1"'],
    [
      'GET',
      `${S}/messages?page=2`,
      undefined,
      422,
      'invalid_argument',
      'page: "2" cannot be taken; allowed: the fields after, before, from, limit',
    ],
    [
      'GET',
      `${S}/messages?limt=2`,
      undefined,
      422,
      'invalid_argument',
      'limt: "2" cannot be taken; allowed: limit (the nearest); the fields after, before, from, limit',
    ],
    ['POST', `${S}/context`, { budgt: 3 }, 422, 'invalid_argument', 'allowed: budget (the nearest); the'],
    ['POST', `${S}/context`, { system: 'x' }, 422, 'invalid_argument', 'instructions (the nearest)'],
    [
      'PUT',
      '/v1/settings',
      { fullContextTruns: 3 },
      422,
      'invalid_settings',
      'fullContextTurns (the nearest)',
    ],
    ['PUT', '/v1/settings', { context_sise: 3 }, 422, 'invalid_settings', 'contextSize (the nearest)'],
    ['POST', `${S}/new-beginning`, { atSeq: 1 }, 422, 'invalid_argument', 'atSeq: 1 cannot be taken'],
    ['POST', `${S}/new-beginning`, ['x'], 422, 'invalid_argument', 'a JSON object'],
    ['DELETE', `${S}/new-beginning`, { atSeq: 1 }, 422, 'invalid_argument', 'nothing in the body'],
    ['DELETE', `${S}/messages/1`, { seqs: [2] }, 422, 'invalid_argument', 'nothing in the body'],
    ['DELETE', S, { dryRun: true }, 422, 'invalid_argument', 'nothing in the body'],
    ['GET', `${S}/segments?all=yes`, undefined, 422, 'invalid_argument', 'true, false'],
    ['GET', `${S}?x=1`, undefined, 422, 'invalid_argument', 'nothing in the query'],
    ['POST', `${S}/messages`, {}, 422, 'invalid_message', 'role'],
    ['POST', `${S}/messages`, [message], 422, 'invalid_argument', 'a JSON object'],
    ['POST', `${S}/messages`, { messages: [] }, 422, 'invalid_argument', 'a list of 1 to 1000 messages'],
    ['POST', `${S}/messages`, { messages: message }, 422, 'invalid_argument', 'a list of 1 to 1000 messages'],
    ['POST', `${S}/messages`, { messages: Array(1001).fill(message) }, 422, 'invalid_argument', '1 to 1000'],
    [
      'POST',
      `${S}/messages`,
      { messages: [message], role: 'user' },
      422,
      'invalid_argument',
      'either the fields of one',
    ],
    [
      'POST',
      `${S}/messages`,
      { messages: [message, { ...message, colour: 1 }] },
      422,
      'invalid_message',
      'messages[1].colour',
    ],
    ['POST', `${S}/messages`, { ...message, colour: 1, size: 2 }, 422, 'invalid_argument', 'size: 2'],
    [
      'POST',
      `${S}/messages`,
      { ...message, kind: 'crowd' },
      422,
      'invalid_argument',
      'private, group, agent',
    ],
    ['POST', `${S}/messages`, { ...message, at: 'yesterday' }, 422, 'invalid_message', 'ISO 8601'],
    [
      'POST',
      `${S}/messages`,
      { ...message, fullContextTurns: 0 },
      422,
      'invalid_settings',
      'fullContextTurns: 0',
    ],
    [
      'POST',
      `${S}/messages`,
      { ...message, policy: 'count', threshold: 1, keepLast: 2 },
      422,
      'invalid_settings',
      'keepLast: 2 cannot be taken; allowed: at most threshold (1)',
    ],
    [
      'POST',
      `${S}/compact`,
      { force: 'deeper' },
      422,
      'invalid_argument',
      'force: "deeper" cannot be taken; allowed: true',
    ],
    ['POST', `${S}/compact`, { force: 3, focus: 4 }, 422, 'invalid_argument', 'focus: 4'],
    ['POST', `${S}/compact`, { outputReserve: 1 }, 422, 'invalid_argument', 'outputReserve: 1'],
    ['POST', `${S}/messages`, { ...message, outputReserve: 1 }, 422, 'invalid_argument', 'outputReserve: 1'],
    [
      'PATCH',
      `${S}/messages/1`,
      { content: 'a', text: 'b' },
      422,
      'invalid_argument',
      'either content or text',
    ],
    ['PUT', '/v1/settings', JSON.parse('{ "__proto__": 1 }'), 422, 'invalid_argument', '__proto__'],
    ['POST', `${S}/compact`, JSON.parse('{ "__proto__": {} }'), 422, 'invalid_argument', '__proto__'],
    ['POST', `${S}/compact`, { dryRun: true }, 422, 'invalid_argument', 'dryRun: true'],
    [
      'POST',
      `${S}/context`,
      { budget: 0, format: 'xml' },
      422,
      'invalid_argument',
      'format: "xml" cannot be taken; allowed: messages, openai, anthropic, text',
    ],
    ['POST', `${S}/rollback`, {}, 422, 'invalid_argument', 'toSeq'],
    ['POST', `${S}/rollback`, { toSeq: 1.5 }, 422, 'invalid_argument', 'a whole number of at least 0'],
    ['POST', `${S}/fork`, { id: '' }, 422, 'invalid_message', 'id'],
    ['PUT', '/v1/settings', { fullContextTurn: 3 }, 422, 'invalid_settings', 'fullContextTurn is no setting'],
    ['PUT', '/v1/settings', { port: 1 }, 422, 'invalid_settings', 'PALIMPSEST_PORT'],
    [
      'PUT',
      '/v1/settings',
      { threshold: 4, keepLast: 'x', policy: 'y' },
      422,
      'invalid_settings',
      'keepLast',
    ],
    [
      'PUT',
      '/v1/settings',
      { model: 'openai-compatible:qwen3' },
      422,
      'invalid_settings',
      'PALIMPSEST_MODEL_BASE_URL',
    ],
    [
      'PUT',
      '/v1/settings',
      { model: 'qwen3' },
      422,
      'invalid_settings',
      'anthropic, openai, openai-compatible',
    ],
    [
      'PUT',
      '/v1/settings',
      { policy: 'window', tailKeepSize: 100 },
      422,
      'invalid_settings',
      'less than contextSize (75)',
    ],
  ])('%s %s %j', async (method, path, body, status, code, words) => {
    const before = await Promise.all([client.call('GET', S), client.call('GET', '/v1/settings')])
    const answer = await client.call(method, path, body)
    expect(answer).toMatchObject({ status, json: { error: { code, details: expect.anything() } } })
    expect(answer.json.error.message).toContain(words)
    const after = await Promise.all([client.call('GET', S), client.call('GET', '/v1/settings')])
    expect(after.map(({ json }) => json)).toEqual(before.map(({ json }) => json))
    expect(client.errors).toEqual([])
  })

  test('all problems of a body are told at once', async () => {
    const { json } = await client.call('POST', '/v1/sessions/s/fork', { id: 1, atSeq: 'x', extra: true })
    expect(json.error.details.problems.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'atSeq',
      'extra',
      'id',
    ])
  })
})

describe('a body', () => {
  const path = '/v1/sessions/bodies/messages'
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
    client.raw(path, { method: 'POST', body, headers })

  test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number, string]>([
    ['cut off', '{"role":"user"', json, 400, 'malformed_request'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json, 400, 'malformed_request'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), json, 400, 'malformed_request'],
    [
      'of another type',
      '{"role":"user","text":"x"}',
      { 'content-type': 'text/plain' },
      415,
      'unsupported_media_type',
    ],
    ['of no type', '{"role":"user","text":"x"}', { 'content-type': '' }, 415, 'unsupported_media_type'],
    [
      'a form',
      'role=user',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    [
      'in Latin-1',
      '{}',
      { 'content-type': 'application/json; charset=iso-8859-1' },
      415,
      'unsupported_media_type',
    ],
    ['compressed', '{}', { ...json, 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['text', '"hello"', json, 422, 'invalid_argument'],
    ['null', 'null', json, 422, 'invalid_argument'],
    [
      'too deep',
      `{"role":"user","content":[${'['.repeat(5_000)}${']'.repeat(5_000)}]}`,
      json,
      422,
      'invalid_argument',
    ],
    ['announced too large', '{}', { ...json, 'content-length': '999999999' }, 413, 'body_too_large'],
  ])('that is %s is refused', async (_, body, headers, status, code) => {
    expect(await post(body, headers)).toMatchObject({ status, json: { error: { code } } })
    expect((await client.call('GET', '/v1/sessions/bodies')).status).toBe(404)
  })

  test('too large is refused by the setting', async () => {
    await client.call('PUT', '/v1/settings', { maxBodyBytes: 2_000 })
    const answer = await post(JSON.stringify({ role: 'user', text: 'x'.repeat(2_000) }))
    expect(answer).toMatchObject({ status: 413, json: { error: { details: { maxBodyBytes: 2_000 } } } })
    await client.call('PUT', '/v1/settings', { maxBodyBytes: null })
  })

  test('may have a byte order mark, Windows line ends and any case of its type', async () => {
    const body = '\ufeff{\r\n  "role": "user",\r\n  "text": "one\\r\\ntwo 聊天 🙂"\r\n}\r\n'
    const session = '/v1/sessions/lines/messages'
    const headers = { 'content-type': 'Application/JSON; Charset=UTF-8' }
    expect((await client.raw(session, { method: 'POST', body, headers })).status).toBe(201)
    expect((await client.call('GET', session)).json.messages[0].content).toBe('one\r\ntwo 聊天 🙂')
  })
})

describe('who calls', () => {
  test.each(['localhost:8787', '127.0.0.1', '[::1]:80', 'LOCALHOST'])('as %s is answered', async host => {
    expect((await client.call('GET', '/healthz', undefined, { host })).status).toBe(200)
  })

  test.each([
    { host: 'evil.example' },
    { host: 'evil.example:8787' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost', origin: 'https://evil.example' },
    { host: 'localhost', origin: 'null' },
  ])('with %j is not', async headers => {
    expect(await client.call('GET', '/healthz', undefined, headers)).toMatchObject({
      status: 403,
      json: { error: { code: 'host_not_allowed' } },
    })
  })

  test('gets a request id back: its own, or a new one', async () => {
    const own = await client.call('GET', '/v1/nothing', undefined, { 'x-request-id': 'abc-1' })
    expect(own.headers.get('x-request-id')).toBe('abc-1')
    const none = await client.call('GET', '/healthz', undefined, { 'x-request-id': 'with space' })
    expect(none.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    expect(none.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('what nobody foresaw is a 500 without its inside', async () => {
  const broken = sqlitePlace()
  await using other = await openClient(broken, {
    folding: 'manual',
    clock: () => {
      throw new TypeError('secret inside')
    },
  })
  const answer = await other.call('POST', '/v1/sessions/s/messages', message, { 'x-request-id': 'r-1' })
  expect(answer).toMatchObject({
    status: 500,
    json: { error: { code: 'unexpected', details: { requestId: 'r-1' } } },
  })
  expect(JSON.stringify(answer.json)).not.toContain('secret inside')
  expect(other.errors).toHaveLength(1)
  await broken.remove()
})

test('a field that is null is one that was left out', async () => {
  const nulls = { externalId: null, at: null, policy: null, threshold: null, kind: null, messages: null }
  expect((await client.call('POST', '/v1/sessions/nulls/messages', { ...message, ...nulls })).status).toBe(
    201,
  )
  expect(
    (await client.call('POST', '/v1/sessions/nulls/context', { budget: null, format: null })).status,
  ).toBe(200)
})

test('a key is taken and never shown', async () => {
  const access = { modelApiKey: 'sk-secret', modelBaseUrl: 'http://127.0.0.1:9/v1' }
  const put = await client.call('PUT', '/v1/settings', access)
  expect(put).toMatchObject({
    status: 200,
    json: { settings: { modelApiKey: true }, sources: { modelApiKey: 'stored' } },
  })
  expect(JSON.stringify(put.json)).not.toContain('sk-secret')
  await client.call('PUT', '/v1/settings', { modelApiKey: null, modelBaseUrl: null })
})

test('the document lists every route, and health its version', async () => {
  const { json } = await client.call('GET', '/openapi.json')
  expect(json.openapi).toBe('3.1.0')
  expect(Object.keys(json.paths).toSorted()).toEqual([
    '/healthz',
    '/mcp',
    '/metrics',
    '/openapi.json',
    '/v1/chat/completions',
    '/v1/erasures/{id}',
    '/v1/events',
    '/v1/memory',
    '/v1/memory/daily/{day}',
    '/v1/memory/global',
    '/v1/memory/global/undo',
    '/v1/memory/global/versions',
    '/v1/memory/persona',
    '/v1/memory/persona/undo',
    '/v1/memory/persona/versions',
    '/v1/memory/{layer}/{key}',
    '/v1/memory/{layer}/{key}/undo',
    '/v1/memory/{layer}/{key}/versions',
    '/v1/models',
    '/v1/models/{model}',
    '/v1/replay',
    '/v1/search',
    '/v1/sessions',
    '/v1/sessions/{id}',
    '/v1/sessions/{id}/compact',
    '/v1/sessions/{id}/context',
    '/v1/sessions/{id}/folds',
    '/v1/sessions/{id}/fork',
    '/v1/sessions/{id}/growth',
    '/v1/sessions/{id}/messages',
    '/v1/sessions/{id}/messages/{seq}',
    '/v1/sessions/{id}/new-beginning',
    '/v1/sessions/{id}/rollback',
    '/v1/sessions/{id}/search',
    '/v1/sessions/{id}/segments',
    '/v1/sessions/{id}/segments/{segment}',
    '/v1/sessions/{id}/settings',
    '/v1/settings',
    '/v1/users/{id}',
  ])
  const read = json.paths['/v1/memory/{layer}/{key}'].get
  expect(
    read.parameters.map(({ name, in: place }: { name: string; in: string }) => `${place} ${name}`),
  ).toEqual(expect.arrayContaining(['path layer', 'path key', 'header if-none-match']))
  expect(read.responses['304']).toEqual({ description: expect.any(String) })
  expect((await client.call('GET', '/healthz')).json).toEqual({ status: 'ok', version: '1.2.3' })
  expect((await client.call('HEAD', '/healthz')).status).toBe(200)
})
