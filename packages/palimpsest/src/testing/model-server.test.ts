import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from './model-server.ts'

/** What no client would send, or show. What they do: protocols/clients.test.ts. */
let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

async function post(path: string, body: unknown, method = 'POST') {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : null }
}

const PATHS = ['/chat/completions', '/messages', '/responses']

test('keeps every request as it came, with who asked how', async () => {
  server.setReply(({ protocol, path }, index) => `${index} ${protocol} ${path}`)
  const body = { model: 'm', messages: [{ role: 'user', content: '你好 😀' }], input: '你好 😀', odd: [null] }
  for (const path of PATHS) await post(`${path}?version=1`, body)
  expect(server.requests).toMatchObject(
    ['chat', 'messages', 'responses'].map((protocol, index) => ({
      protocol,
      path: `/v1${PATHS[index]}?version=1`,
      headers: { host: expect.any(String) },
      body,
      said: [{ role: 'user', text: '你好 😀' }],
      tools: [],
    })),
  )
})

test('a bare request, and parts of every kind', async () => {
  for (const path of PATHS) expect((await post(path, '')).status).toBe(200)
  expect(server.requests.flatMap(({ said }) => said)).toEqual([])
  const content = [
    { type: 'text', text: 'Look:' },
    { type: 'image_url', image_url: { url: 'data:,' } },
    { type: 'text', text: 'a cat' },
  ]
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'see' } }] },
    { role: 'function', tool_call_id: 'a', content: null },
  ]
  await post('/chat/completions', { messages, tools: [{ type: 'web_search' }] })
  expect(server.requests.at(-1)).toMatchObject({
    said: [
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Look:\na cat' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'see', arguments: '' }] },
      { role: 'tool', text: '', toolCallId: 'a' },
    ],
    tools: [{ name: 'web_search', schema: {} }],
  })
})

test('what a user says next to the result of a tool', async () => {
  await post('/messages', {
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find', input: { what: 'it' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'here' }] },
          { type: 'text', text: 'Well?' },
        ],
      },
    ],
  })
  expect(server.requests[0]!.said).toEqual([
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'Where is it?' },
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'find', arguments: '{"what":"it"}' }] },
    { role: 'tool', text: 'here', toolCallId: 'a' },
    { role: 'user', text: 'Well?' },
  ])
})

test('refuses what it does not speak, and keeps none of it', async () => {
  for (const [path, body, method] of [
    ['/embeddings', {}, 'POST'],
    ['/messages/count_tokens', {}, 'POST'],
    ['/models', {}, 'GET'],
    ['/responses', {}, 'GET'],
  ] as const) {
    const { status, json } = await post(path, body, method)
    expect(status).toBe(404)
    expect(json.error.message).toContain('allowed: POST to /chat/completions')
  }
  for (const path of PATHS)
    for (const body of ['{"cut', '[]', '3'])
      expect(await post(path, body)).toMatchObject({
        status: 400,
        json: { error: { message: 'The body of the request is no JSON object.' } },
      })
  expect(server.requests).toEqual([])
})

test('ids of tool calls are unique over the life of a server', async () => {
  server.setReply({ toolCalls: [1, 2].map(() => ({ name: 'look_up', arguments: {} })) })
  const ids: string[] = []
  for (const path of [...PATHS, ...PATHS])
    ids.push(...new Set((await post(path, {})).text.match(/call_\d+_\d+/g)))
  expect(ids).toEqual([1, 2, 3, 4, 5, 6].flatMap(request => [`call_${request}_1`, `call_${request}_2`]))
})

describe('what a script sends of its own', () => {
  test.each(PATHS)('to %s: a body, a status, headers', async path => {
    server.setReply({ body: 'as it is', status: 418, headers: { 'content-type': 'text/plain' } })
    expect(await post(path, { stream: true })).toMatchObject({ status: 418, text: 'as it is' })
    for (const [status, kind] of [
      [400, /valid/],
      [403, /key/],
      [404, /no such|not found/i],
      [429, /rate limit/i],
      [503, /overloaded/i],
      [502, /error/],
    ] as const) {
      server.setReply({ status })
      const answer = await post(path, { stream: true })
      expect(answer.status).toBe(status)
      expect(answer.json.error.message).toMatch(kind)
    }
    server.setReply({ error: { kind: 'overflow', message: 'Too much of it' }, status: 413 })
    expect(await post(path, {})).toMatchObject({
      status: 413,
      json: { error: { message: 'Too much of it' } },
    })
  })
})

describe('Responses, which the provider keeps', () => {
  const answerOf = async (body: object) => (await post('/responses', body)).json

  test('by the id of the response before it', async () => {
    server.setReply(({ said }) => `You said: ${said.map(({ text }) => text).join(' | ')}`)
    const first = await answerOf({ instructions: 'Be brief.', input: 'One' })
    const second = await answerOf({
      previous_response_id: first.id,
      input: [{ role: 'user', content: 'Two' }],
    })
    expect(second.output[0].content[0].text).toBe('You said: One | You said: Be brief. | One | Two')
  })

  test('by the id of an item', async () => {
    server.setReply('Yes.')
    const { output } = await answerOf({ input: 'One' })
    await answerOf({ input: [{ type: 'item_reference', id: output[0].id }] })
    expect(server.requests[1]!.said).toEqual([{ role: 'assistant', text: 'Yes.' }])
  })

  test('but not what it was told not to keep, and not what failed', async () => {
    server.setReply('Yes.')
    const { id, output } = await answerOf({ input: 'One', store: false })
    server.setReply({ text: 'Yes', error: { kind: 'internal', isLate: true } })
    await post('/responses', { input: 'Two', stream: true })
    const asked = [
      { previous_response_id: id, input: '' },
      { input: [{ type: 'item_reference', id: output[0].id }] },
      { previous_response_id: 'resp_2', input: '' },
    ]
    for (const body of asked) {
      const { status, json } = await post('/responses', body)
      expect(status).toBe(404)
      expect(json.error.message).toMatch(/with id '\w+' not found\./)
    }
    expect(server.requests).toHaveLength(5)
  })
})

test('a script that throws is an error that nobody tries again, and closing ends what hangs', async () => {
  server.setReply(() => {
    throw new Error('no such scene')
  })
  for (const path of PATHS) {
    const broken = await post(path, {})
    expect(broken.status).toBe(400)
    expect(broken.text).toContain('no such scene')
  }
  server.setReply({ fault: 'hang' })
  const hanging = post(PATHS[0]!, {}).catch(() => 'ended')
  await expect.poll(() => server.requests.length).toBe(4)
  await server.close()
  expect(await hanging).toBe('ended')
})
