import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { forksOf, type Param, saidIn, start, user } from './kit.ts'

const PATH = '/v1/chat/completions'
const hello = [user('Hello')]

async function refusal(response: Response) {
  expect(response.status).toBe(422)
  const { error } = (await response.json()) as { error: { code: string; message: string; details: object } }
  expect(error.code).toBe('invalid_argument')
  return error
}

describe('what cannot be done is refused by name, and changes nothing', () => {
  test.each<[string, unknown]>([
    ['n', 2],
    ['logprobs', true],
    ['top_logprobs', 3],
    ['audio', { voice: 'alloy', format: 'mp3' }],
    ['modalities', ['text', 'audio']],
    ['web_search_options', {}],
    ['functions', [{ name: 'f' }]],
    ['function_call', 'auto'],
    ['temperature', 3],
    ['tool_choice', { type: 'allowed_tools' }],
    ['tools', [{ type: 'custom', custom: { name: 'f' } }]],
    ['response_format', { type: 'xml' }],
    ['stream', 'yes'],
    ['stop', ['a', 'b', 'c', 'd', 'e']],
    ['max_tokens', 0],
    ['reasoning_effort', 'extreme'],
    ['messages', []],
    ['messages', 'Hello'],
    ['budget', 0],
    ['user', 7],
  ])('%s: %j', async (field, value) => {
    const kit = await start('Hi.')
    const response = await kit.post(PATH, { messages: hello, user: 's', [field]: value })
    const { message, details } = await refusal(response)
    expect(message).toContain(field)
    expect(details).toHaveProperty('allowed')
    expect((await kit.get('/v1/sessions/s')).status).toBe(404)
    expect(kit.asked()).toEqual([])
  })

  test.each<[string, unknown, string]>([
    ['a role that is gone', { role: 'function', name: 'f', content: '1' }, 'messages[0].role'],
    ['an unknown role', { role: 'robot', content: 'x' }, 'messages[0].role'],
    ['no message', 'Hello', 'messages[0]'],
    ['a number', { role: 'user', content: 7 }, 'messages[0].content'],
    ['nothing', { role: 'user' }, 'messages[0].content'],
    ['a part of no type', { role: 'user', content: [{ text: 'x' }] }, 'messages[0].content[0].type'],
    [
      'a picture without one',
      { role: 'user', content: [{ type: 'image_url' }] },
      'messages[0].content[0].image_url',
    ],
    ['a result of no call', { role: 'tool', content: 'x' }, 'messages[0].tool_call_id'],
    ['a call of nothing', { role: 'assistant', tool_calls: [{ id: 'c' }] }, 'messages[0].tool_calls[0]'],
    ['calls that are none', { role: 'assistant', tool_calls: 'x' }, 'messages[0].tool_calls'],
    ['a call as it was', { role: 'assistant', content: 'x', function_call: {} }, 'messages[0].function_call'],
  ])('%s', async (_, message, field) => {
    const kit = await start('Hi.')
    const error = await refusal(await kit.post(PATH, { messages: [message], user: 's' }))
    expect(error.details).toMatchObject({ field })
  })

  test('what the log could not hold: no fork is made for it', async () => {
    const kit = await start('Hi.')
    await kit.post(PATH, { messages: hello, user: 's' })
    const messages = [
      ...hello,
      { role: 'assistant', content: 'Another.' },
      { role: 'user', content: 'x', name: '\0' },
    ]
    const response = await kit.post(PATH, { messages, user: 's' })
    expect(response.status).toBe(422)
    const { error } = (await response.json()) as { error: object }
    expect(error).toMatchObject({
      message: expect.stringMatching(/^messages\[2\]\.sender: "\\u0000" cannot/),
      details: { field: 'messages[2].sender', value: '"\\u0000"' },
      ...{ type: 'invalid_request_error', param: 'messages[2].sender' },
    })
    expect(await forksOf(kit, 's')).toEqual([])
  })

  test('without a session both ways of naming it are told', async () => {
    const kit = await start('Hi.')
    const { message } = await refusal(await kit.post(PATH, { messages: hello }))
    expect(message).toContain('x-palimpsest-session')
    expect(message).toContain('user')
  })

  test('instructions alone begin no session', async () => {
    const kit = await start('Hi.')
    const messages = [{ role: 'system', content: 'Be brief.' }]
    expect(await refusal(await kit.post(PATH, { messages, user: 's' }))).toMatchObject({
      details: { field: 'messages' },
    })
  })

  test('headers that say nothing known', async () => {
    const kit = await start('Hi.')
    for (const [name, value] of [
      ['x-palimpsest-history', 'some'],
      ['x-palimpsest-kind', 'crowd'],
    ] as const)
      await refusal(await kit.post(PATH, { messages: hello, user: 's' }, { [name]: value }))
  })
})

test('what the model can be told is passed on, and what nobody knows is ignored', async () => {
  const kit = await start('{}')
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const format = { type: 'json_schema' as const, json_schema: { name: 'reply', schema, strict: true } }
  const passedOn = {
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 1,
    frequency_penalty: -1,
    seed: 7,
    stop: ['END'],
    reasoning_effort: 'low' as const,
    parallel_tool_calls: false,
    response_format: format,
    service_tier: 'flex' as const,
    store: true,
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
    safety_identifier: 'u-1',
    verbosity: 'low' as const,
    logit_bias: { 50256: -100 },
    prediction: { type: 'content' as const, content: 'x' },
    tool_choice: { type: 'function' as const, function: { name: 'f' } },
  }
  const tools = [{ type: 'function' as const, function: { name: 'f', parameters: schema } }]
  await kit.client('s').chat.completions.create({
    model: 'gpt-x',
    messages: hello,
    ...passedOn,
    tools,
    max_completion_tokens: 99,
    user: 'somebody',
    ...{ unheard_of: 1, max_tokens: null },
  })
  const { body } = kit.asked()[0]!
  expect(body).toMatchObject({ ...passedOn, tools, max_tokens: 99, model: 'qwen3' })
  expect(body).not.toHaveProperty('unheard_of')
  expect(body).not.toHaveProperty('user')
  expect(kit.asked()[0]!.tools.map(({ name }) => name)).toEqual(['f'])
})

test('the answer is as OpenAI gives it', async () => {
  const kit = await start({
    text: 'Hello!',
    reasoning: 'They greet me.',
    usage: { input: 11, cached: 4, output: 7, reasoning: 3 },
  })
  const { data, response } = await kit
    .client('s')
    .chat.completions.create({ model: 'gpt-x', messages: hello })
    .withResponse()
  expect(data).toEqual({
    id: expect.stringMatching(/^chatcmpl-\w{32}$/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'qwen3',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Hello!',
          refusal: null,
          reasoning_content: 'They greet me.',
        },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  })
  expect(response.headers.get('x-palimpsest-session')).toBe('s')
  expect(response.headers.get('x-palimpsest-seq')).toBe('1')
})

test('a stream is as OpenAI sends it', async () => {
  const kit = await start({ text: 'Hello!', toolCalls: [{ name: 'f', arguments: '{"a" :1}', id: 'call_a' }] })
  const response = await kit.post(PATH, {
    messages: hello,
    user: 's',
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('x-palimpsest-session')).toBe('s')
  const lines = (await response.text()).split('\n\n').filter(line => line !== '')
  expect(lines.at(-1)).toBe('data: [DONE]')
  const chunks = lines.slice(0, -1).map(line => JSON.parse(line.slice('data: '.length)))
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  const choice = (delta: object, finish_reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason },
  ]
  const call = (fields: object) => choice({ tool_calls: [{ index: 0, ...fields }] })
  expect(chunks.map(({ choices }) => choices)).toEqual([
    choice({ role: 'assistant', content: '', refusal: null }),
    choice({ content: 'Hello!' }),
    call({ id: 'call_a', type: 'function', function: { name: 'f', arguments: '' } }),
    call({ function: { arguments: '{"a" :1}' } }),
    choice({}, 'tool_calls'),
    [],
  ])
  expect(chunks.map(({ usage }) => usage === null)).toEqual([true, true, true, true, true, false])
})

test.each([
  ['length', 'length'],
  ['content_filter', 'content_filter'],
])('an answer that ended by %s says so', async (finishReason, expected) => {
  const kit = await start({ text: 'Half an', finishReason })
  const { choices } = await kit.client('s').chat.completions.create({ model: 'any', messages: hello })
  expect(choices[0]!.finish_reason).toBe(expected)
  expect(saidIn(await kit.log('s'))).toEqual(['user: Hello', 'assistant: Half an'])
})

test('calls that cannot be read, and calls of tools that are none, are for the client to answer', async () => {
  const kit = await start(({ said }) =>
    said.at(-1)!.role === 'tool'
      ? 'Sorry.'
      : {
          toolCalls: [
            { name: 'f', arguments: '{"a": tru', id: 'call_a' },
            { name: 'nobody', arguments: '{"b":1}', id: 'call_b' },
          ],
        },
  )
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const client = kit.client('s')
  const first = await client.chat.completions.create({ model: 'any', messages: hello, tools })
  const { message, finish_reason } = first.choices[0]!
  expect(finish_reason).toBe('tool_calls')
  expect(message.content).toBeNull()
  const made = message.tool_calls as OpenAI.ChatCompletionMessageFunctionToolCall[]
  expect(made.map(call => call.function)).toEqual([
    { name: 'f', arguments: '{"a": tru' },
    { name: 'nobody', arguments: '{"b":1}' },
  ])
  const results: Param[] = [
    { role: 'tool', tool_call_id: 'call_b', content: 'no such tool' },
    { role: 'tool', tool_call_id: 'call_a', content: [{ type: 'text', text: 'no JSON' }] },
  ]
  await client.chat.completions.create({ model: 'any', messages: [...hello, message, ...results], tools })
  const log = await kit.log('s')
  expect(log.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  expect(log[1]!.content).toMatchObject([{ input: '{"a": tru' }, { input: { b: 1 } }])
  expect(log[3]!.content).toMatchObject([{ toolName: 'f', output: 'no JSON' }])
})

describe('what is said', () => {
  test('Chinese and emoji, in what is said, in names and in the session’s id', async () => {
    const kit = await start(({ said }) => `你说：${said.at(-1)!.text}`)
    const session = '聊天 🍋'
    const messages: Param[] = [{ role: 'user', name: '小明', content: '👩‍👩‍👧 柠檬在哪里？' }]
    const { data, response } = await kit
      .client(encodeURIComponent(session))
      .chat.completions.create({ model: 'any', messages })
      .withResponse()
    expect(data.choices[0]!.message.content).toBe('你说：👩‍👩‍👧 柠檬在哪里？')
    expect(decodeURIComponent(response.headers.get('x-palimpsest-session')!)).toBe(session)
    const log = await kit.log(session)
    expect(log).toMatchObject([{ sender: { id: '小明' } }, { role: 'assistant' }])
    await kit.post(PATH, { messages: [user('再见')], user: session })
    expect(await kit.log(session)).toHaveLength(4)
  })

  test('pictures by address and as bytes, files and sounds', async () => {
    const kit = await start('A lemon.')
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.4 x').toString('base64')}`
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://example.org/lemon.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_id: 'file-1', filename: 'b.txt' } },
    ]
    const messages: Param[] = [{ role: 'user', content }]
    const first = await kit.client('s').chat.completions.create({ model: 'any', messages })
    const whole = [...messages, first.choices[0]!.message, user('Sure?')]
    await kit.client('s').chat.completions.create({ model: 'any', messages: whole })
    const log = await kit.log('s')
    expect(log).toHaveLength(4)
    expect(log[0]!.content.map(({ type }: { type: string }) => type)).toEqual([
      'text',
      'image',
      'image',
      'file',
      'file',
      'file',
    ])
    const sent = JSON.stringify(kit.asked()[0]!.body.messages)
    expect(sent).toContain('https://example.org/lemon.png')
    expect(sent).toContain(`data:image/png;base64,${png}`)
    expect(sent).toContain('(file: b.txt)')
  })

  test('a huge message is kept whole, and shown as far as there is room', async () => {
    const kit = await start('Much.', { policy: 'tokens', budget: 4_000 })
    const huge = 'All the lemons of Porto. '.repeat(40_000)
    await kit.client('s').chat.completions.create({ model: 'any', messages: [user(huge)] })
    const log = await kit.log('s')
    expect(log[0]!.text).toHaveLength(huge.length)
    expect(JSON.stringify(kit.asked()[0]!.body).length).toBeLessThan(30_000)
  })

  test('instructions are said to the model, and not stored; later ones are said at the very end', async () => {
    const kit = await start('Hi.')
    const messages: Param[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      user('Hello'),
      { role: 'assistant', content: null, refusal: 'I would rather not.' },
      { role: 'system', content: 'It is Monday.' },
      user('And now?'),
      { role: 'system', content: 'Be quick.' },
    ]
    await kit.client('s').chat.completions.create({ model: 'any', messages })
    expect(saidIn(await kit.log('s'))).toEqual([
      'user: Hello',
      'assistant: I would rather not.',
      'user: And now?',
      'assistant: Hi.',
    ])
    expect(kit.asked()[0]!.said[0]!.text).toMatch(/^Be brief\.\n\nBe kind\./)
    expect(kit.asked()[0]!.said.at(-1)!.text).toBe('[system]: It is Monday.\n\nBe quick.')
  })

  test('a message that says nothing is left out', async () => {
    const kit = await start(({ said }) => (said.at(-1)!.text === 'Hello' ? '' : 'Yes?'))
    const client = kit.client('s')
    const first = await client.chat.completions.create({ model: 'any', messages: hello })
    expect(first.choices[0]!.message.content).toBe('')
    const messages = [...hello, first.choices[0]!.message, user('Anybody?')]
    const { response } = await client.chat.completions.create({ model: 'any', messages }).withResponse()
    expect(response.headers.get('x-palimpsest-session')).toBe('s')
    expect(saidIn(await kit.log('s'))).toEqual(['user: Hello', 'user: Anybody?', 'assistant: Yes?'])
  })

  test('a new session is of the kind that its headers say', async () => {
    const kit = await start('Hi.')
    const headers = { 'x-palimpsest-kind': 'group', 'x-palimpsest-scope': 'shop' }
    await kit.client('s', headers).chat.completions.create({
      model: 'any',
      messages: [{ role: 'user', name: 'ann', content: 'Hello' }],
    })
    expect((await kit.get('/v1/sessions/s')).json).toMatchObject({ kind: 'group', scope: 'shop' })
    expect(kit.asked()[0]!.said.at(-1)!.text).toBe('[ann]: Hello')
  })
})

test('settings of one request hold for it alone', async () => {
  const kit = await start('Fine.', { policy: 'count', threshold: 100, keepLast: 50 })
  const post = (fields: object) =>
    kit.post(PATH, { messages: [user('lemons '.repeat(200))], user: 's', ...fields })
  for (let turn = 0; turn < 6; turn++) expect((await post({})).status).toBe(200)
  const whole = kit.asked().at(-1)!.said.length
  expect((await post({ budget: 900 })).status).toBe(200)
  expect(kit.asked().at(-1)!.said.length).toBeLessThan(whole)
  expect((await post({ policy: 'tokens' })).status).toBe(200)
  expect((await post({})).status).toBe(200)
  expect(kit.asked().at(-1)!.said.length).toBeGreaterThan(whole)
  const refused = await post({ policy: 'never' })
  expect(refused.status).toBe(422)
  expect(await kit.log('s')).toHaveLength(18)
})

describe('without a model', () => {
  test('what was said is looked up, streaming and not, and kept', async () => {
    const kit = await start('never asked', { model: null })
    const client = kit.client('s')
    const told = await client.chat.completions.create({
      model: 'any',
      messages: [user('My dog is called Rex.')],
    })
    expect(told.model).toBe('palimpsest-search')
    const whole = [user('My dog is called Rex.'), told.choices[0]!.message, user("What is my dog's name?")]
    const found = await client.chat.completions
      .stream({ model: 'any', messages: whole })
      .finalChatCompletion()
    expect(found.choices[0]!.message.content).toContain('Rex')
    const log = await kit.log('s')
    expect(log.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(told.usage!.completion_tokens).toBeGreaterThan(0)
    expect(kit.model.requests).toEqual([])
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['palimpsest-search'])
  })
})

test('the models that there are: the one that is configured, under any name', async () => {
  const kit = await start('Hi.')
  const client = kit.client('s')
  expect((await client.models.list()).data).toEqual([
    { id: 'qwen3', object: 'model', created: 0, owned_by: 'openai-compatible' },
  ])
  expect(await client.models.retrieve('org/gpt-x')).toMatchObject({ id: 'org/gpt-x', object: 'model' })
})
