import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic, createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI, openai } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, streamText, tool, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryMiddleware, toUIMessages } from '../../packages/palimpsest/src/adapters/ai-sdk/index.ts'
import { createPalimpsest, type Session, tokens } from '../../packages/palimpsest/src/index.ts'
import {
  type ModelReply,
  type ModelRequest,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { sqlitePlace } from '../stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Json = Record<string, unknown>

const ENCRYPTED = 'RW5jcnlwdGVkIHdvcmRzIG9mIHRoZSBwcm92aWRlcg=='

/** As Anthropic answers: words, a search of its own, and words again. */
function searched(more: readonly Json[] = [], encrypted = ENCRYPTED): Json[] {
  return [
    { type: 'text', text: 'Let me look.' },
    { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'tides' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_01',
      content: [
        {
          type: 'web_search_result',
          url: 'https://tides.example/',
          title: 'Tides',
          encrypted_content: encrypted,
          page_age: null,
        },
      ],
    },
    { type: 'text', text: 'High tide is at noon.' },
    ...more,
  ]
}

function anthropicBody({ body }: ModelRequest, content: readonly Json[], cutAfter = Infinity): ModelReply {
  const isCall = content.some(({ type }) => type === 'tool_use')
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5' }
  const end = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null }
  const usage = { input_tokens: 10, output_tokens: 5 }
  if (body.stream !== true) return { body: JSON.stringify({ ...message, content, ...end, usage }) }
  const events: Json[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    ...content.flatMap((block, index) => {
      const delta =
        block['type'] === 'text'
          ? { type: 'text_delta', text: block['text'] }
          : 'input' in block
            ? { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }
            : null
      const begun =
        delta === null ? block : { ...block, ...('input' in block ? { input: {} } : { text: '' }) }
      return [
        { type: 'content_block_start', index, content_block: begun },
        ...(delta === null ? [] : [{ type: 'content_block_delta', index, delta }]),
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: end, usage },
    { type: 'message_stop' },
  ]
  const sent = events.slice(0, cutAfter)
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: sent.map(event => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  }
}

type Reply = (request: ModelRequest, index: number) => ModelReply | string

async function start(reply: Reply, budget = 8_000) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const open = async () =>
    createPalimpsest({ store: await place.open(), policy: tokens({ budget }), folding: 'manual' })
  const palimpsest = await open()
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    () => palimpsest.close(),
  )
  const { url: baseURL } = server
  return {
    server,
    palimpsest,
    chat: palimpsest.session('chat'),
    claude: createAnthropic({ baseURL, apiKey: 'none' })('claude-haiku-4-5') as LanguageModel,
    gpt: createOpenAI({ baseURL, apiKey: 'none' })('gpt-4.1') as LanguageModel,
    local: createOpenAICompatible({ name: 'loopback', baseURL })('scripted') as LanguageModel,
  }
}

const webSearch = { web_search: anthropic.tools.webSearch_20250305() }
const look = tool({ inputSchema: z.object({}), execute: async () => 'The sea is calm.' })

async function answer(chat: Session, model: LanguageModel, tools: object, how: string, options: object = {}) {
  const turn = await chat.turn({ tools, memoryTools: false, ...options })
  const settings = { model, ...turn.prompt, maxRetries: 0, onError: () => {} }
  const result = how === 'stream' ? streamText(settings) : await generateText(settings)
  return turn.finish(result)
}

/** What was stored of the first answer, without what the stream says of itself. */
async function firstAnswer(chat: Session): Promise<unknown[]> {
  const { content } = (await chat.messages())[1]!
  return (content as { type: string; text?: string }[]).filter(
    ({ type, text }) => type !== 'reasoning' || text,
  )
}

/** What the assistant said, as it goes over the wire. */
function assistantBlocks({ body }: ModelRequest): Json[][] {
  return (body.messages as { role: string; content: Json[] }[])
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => content.map(({ cache_control: _, ...block }) => block))
}

const WIRE = [
  { type: 'text', text: 'Let me look.' },
  { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'tides' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_01',
    content: [
      {
        type: 'web_search_result',
        url: 'https://tides.example/',
        title: 'Tides',
        encrypted_content: ENCRYPTED,
        page_age: null,
      },
    ],
  },
  { type: 'text', text: 'High tide is at noon.' },
]

describe.each(['generate', 'stream'])('Anthropic searches by itself (%s)', how => {
  test('it is stored in its order, with flag and encrypted content, and goes back as it came', async () => {
    const { chat, claude, server } = await start((request, index) =>
      index === 0
        ? anthropicBody(request, searched())
        : anthropicBody(request, [{ type: 'text', text: 'Yes.' }]),
    )
    await chat.append({ role: 'user', content: 'When is high tide?' })
    expect(await answer(chat, claude, webSearch, how)).toMatchObject({ status: 'complete', seqs: [2] })
    expect(await firstAnswer(chat)).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'srvtoolu_01', providerExecuted: true, input: { query: 'tides' } },
      {
        type: 'tool-result',
        toolCallId: 'srvtoolu_01',
        providerExecuted: true,
        output: { type: 'json', value: [{ encryptedContent: ENCRYPTED }] },
      },
      { type: 'text', text: 'High tide is at noon.' },
    ])
    await chat.append({ role: 'user', content: 'Are you sure?' })
    await answer(chat, claude, webSearch, how)
    expect(assistantBlocks(server.requests[1]!)).toEqual([WIRE])
    // And by hand.
    const { messages } = (await chat.context()).toAnthropic()
    expect((messages[1]!.content as object[]).map(block => ({ ...block, cache_control: undefined }))).toEqual(
      WIRE.map(block => ({ ...block, cache_control: undefined })),
    )
    const shown = toUIMessages(await chat.messages())[1]!.parts
    expect(shown.map(({ type }) => type)).toEqual(['step-start', 'text', 'tool-web_search', 'text'])
    expect(shown[2]).toMatchObject({ providerExecuted: true, state: 'output-available' })
  })

  test('beside a call of ours: that one alone is ours to answer', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }
    const { chat, claude, server } = await start((request, index) =>
      anthropicBody(request, index === 0 ? searched([call]) : [{ type: 'text', text: 'Calm.' }]),
    )
    await chat.append({ role: 'user', content: 'When is high tide?' })
    await answer(chat, claude, { ...webSearch, look }, how)
    await chat.append({ role: 'user', content: 'Are you sure?' })
    await answer(chat, claude, { ...webSearch, look }, how)
    expect((await chat.messages()).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
    ])
    expect(server.requests).toHaveLength(3)
    for (const request of server.requests.slice(1)) {
      expect(assistantBlocks(request)[0]).toEqual([...WIRE, call])
      const results = (request.body.messages as { role: string; content: Json[] }[]).flatMap(({ content }) =>
        content.filter(({ type }) => type === 'tool_result').map(block => block['tool_use_id']),
      )
      expect(results).toEqual(['toolu_1'])
    }
  })

  test('a result that comes in a later step stays with its call', async () => {
    const code = {
      type: 'server_tool_use',
      id: 'srvtoolu_07',
      name: 'code_execution',
      input: { code: 'look()' },
    }
    const call = {
      type: 'tool_use',
      id: 'toolu_1',
      name: 'look',
      input: {},
      caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_07' },
    }
    const result = {
      type: 'code_execution_tool_result',
      tool_use_id: 'srvtoolu_07',
      content: { type: 'code_execution_result', stdout: 'calm', stderr: '', return_code: 0, content: [] },
    }
    const { chat, claude, server } = await start((request, index) =>
      anthropicBody(
        request,
        index === 0
          ? [code, call]
          : index === 1
            ? [result, { type: 'text', text: 'It is calm.' }]
            : [{ type: 'text', text: 'Yes.' }],
      ),
    )
    const tools = { code_execution: anthropic.tools.codeExecution_20250825(), look }
    await chat.append({ role: 'user', content: 'Is the sea calm?' })
    expect(await answer(chat, claude, tools, how)).toMatchObject({ status: 'complete' })
    await chat.append({ role: 'user', content: 'Are you sure?' })
    await answer(chat, claude, tools, how)
    const [first, second] = assistantBlocks(server.requests[2]!)
    expect(first!.map(({ type, id }) => [type, id])).toEqual([
      ['server_tool_use', 'srvtoolu_07'],
      ['tool_use', 'toolu_1'],
    ])
    expect(second!.map(({ type, tool_use_id }) => [type, tool_use_id])).toEqual([
      ['code_execution_tool_result', 'srvtoolu_07'],
      ['text', undefined],
    ])
  })

  test('one that is too large for the window goes with its result, and a note stays', async () => {
    const { chat, claude, server } = await start(
      (request, index) =>
        anthropicBody(
          request,
          index === 0 ? searched([], 'QUJD'.repeat(12_000)) : [{ type: 'text', text: 'Yes.' }],
        ),
      6_000,
    )
    await chat.append({ role: 'user', content: 'When is high tide?' })
    await answer(chat, claude, webSearch, how)
    await chat.append({ role: 'user', content: 'Are you sure?' })
    expect(await answer(chat, claude, webSearch, how)).toMatchObject({ status: 'complete' })
    const [said] = assistantBlocks(server.requests[1]!)
    expect(JSON.stringify(said)).not.toContain('QUJD')
    expect(said!.every(({ type }) => type === 'text')).toBe(true)
    expect(JSON.stringify(said)).toContain('High tide is at noon.')
    expect(JSON.stringify(said)).toMatch(/the provider ran web_search/)
  })

  test('an error of the provider’s is one again', async () => {
    const failed = searched()
    failed[2] = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_01',
      content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    }
    const { chat, claude, server } = await start((request, index) =>
      anthropicBody(request, index === 0 ? failed : [{ type: 'text', text: 'Yes.' }]),
    )
    await chat.append({ role: 'user', content: 'When is high tide?' })
    await answer(chat, claude, webSearch, how)
    await chat.append({ role: 'user', content: 'Are you sure?' })
    await answer(chat, claude, webSearch, how)
    expect(assistantBlocks(server.requests[1]!)).toEqual([failed])
    const { messages } = (await chat.context()).toAnthropic()
    expect((messages[1]!.content as unknown as Json[])[2]).toMatchObject(failed[2]!)
  })

  test('another provider is told of it in words, and gets no call', async () => {
    const { chat, claude, gpt, local, server } = await start((request, index) =>
      index === 0 ? anthropicBody(request, searched()) : 'Yes.',
    )
    await chat.append({ role: 'user', content: 'When is high tide?' })
    await answer(chat, claude, webSearch, how)
    for (const model of [gpt, local]) {
      await chat.append({ role: 'user', content: 'Are you sure?' })
      expect(await answer(chat, model, {}, how)).toMatchObject({ status: 'complete' })
      const body = JSON.stringify(server.requests.at(-1)!.body)
      expect(body).not.toContain('srvtoolu_01')
      expect(body).not.toContain(ENCRYPTED)
      expect(body).toContain('the provider ran web_search')
      expect(body).toContain('High tide is at noon.')
    }
    const { messages } = (await chat.context()).toOpenAI()
    expect(JSON.stringify(messages)).not.toContain('srvtoolu_01')
  })

  test('through folds, an export and an import it is whole or not there', async () => {
    const { chat, claude, server, palimpsest } = await start((request, index) =>
      anthropicBody(request, index % 3 === 0 ? searched() : [{ type: 'text', text: 'Yes. '.repeat(120) }]),
    )
    for (let turn = 0; turn < 24; turn++) {
      await chat.append({ role: 'user', content: `When is high tide? ${'Tell me all. '.repeat(20)}` })
      expect(await answer(chat, claude, webSearch, how)).toMatchObject({ status: 'complete' })
      if (turn % 6 === 5) await chat.compact({ force: true })
    }
    expect((await chat.info())!.segments).toBeGreaterThan(0)
    for (const request of server.requests) {
      const ids = (type: string) =>
        assistantBlocks(request).map(blocks => blocks.filter(block => block['type'] === type).length)
      expect(ids('server_tool_use')).toEqual(ids('web_search_tool_result'))
    }
    await palimpsest.import(await chat.export(), { id: 'copy' })
    const [one, other] = await Promise.all([
      chat.messages({ limit: 1_000 }),
      palimpsest.session('copy').messages({ limit: 1_000 }),
    ])
    expect(other.map(({ content }) => content)).toEqual(one.map(({ content }) => content))
  })
})

test('a stream that breaks off after the search keeps both, and one that breaks off before it neither', async () => {
  for (const [cutAfter, isWhole] of [
    [9, true],
    [7, false],
  ] as const) {
    const { chat, claude, server } = await start((request, index) =>
      index === 0
        ? anthropicBody(request, searched(), cutAfter)
        : anthropicBody(request, [{ type: 'text', text: 'Yes.' }]),
    )
    await chat.append({ role: 'user', content: 'When is high tide?' })
    await answer(chat, claude, webSearch, 'stream')
    await chat.append({ role: 'user', content: 'Well?' })
    expect(await answer(chat, claude, webSearch, 'stream')).toMatchObject({ status: 'complete' })
    const blocks = assistantBlocks(server.requests[1]!).flat()
    const types = blocks.map(({ type }) => type)
    expect(types.includes('server_tool_use')).toBe(isWhole)
    expect(types.includes('web_search_tool_result')).toBe(isWhole)
    expect(types).not.toContain('tool_use')
    expect((await chat.messages()).map(({ role }) => role)).not.toContain('tool')
  }
})

test.each(['generate', 'stream'])('memoryMiddleware, %s: the same', async how => {
  const { chat, claude, server } = await start((request, index) =>
    anthropicBody(request, index === 0 ? searched() : [{ type: 'text', text: 'Yes.' }]),
  )
  const model = wrapLanguageModel({ model: claude as never, middleware: memoryMiddleware(chat) })
  const first = { role: 'user' as const, content: 'When is high tide?' }
  const call = async (messages: never[]) => {
    const settings = { model, messages, tools: webSearch }
    const result = how === 'stream' ? streamText(settings) : await generateText(settings)
    await result.text
    return (await result.responseMessages) as never[]
  }
  const said = await call([first] as never[])
  await call([first, ...said, { role: 'user', content: 'Are you sure?' }] as never[])
  expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(await firstAnswer(chat)).toMatchObject([
    { type: 'text' },
    { type: 'tool-call', providerExecuted: true },
    { type: 'tool-result', providerExecuted: true },
    { type: 'text' },
  ])
  expect(assistantBlocks(server.requests[1]!)).toEqual([WIRE])
})

describe('OpenAI searches by itself', () => {
  const output = [
    {
      type: 'web_search_call',
      id: 'ws_68a1',
      status: 'completed',
      action: { type: 'search', query: 'tides' },
    },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'High tide is at noon.', annotations: [] }],
    },
  ]
  /** One that has every item that it ever gave. */
  async function startOpenAI() {
    const bodies: Json[] = []
    const server = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()) as Json)
      const answer = {
        ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'gpt-4.1', output },
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      }
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise(resolve => server.close(resolve)))
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    return { bodies, gpt: createOpenAI({ baseURL, apiKey: 'none' })('gpt-4.1') as LanguageModel }
  }
  const tools = { web_search: openai.tools.webSearch() }

  test('it goes back with the thoughts that led to it, and in words without them', async () => {
    for (const reasoning of ['keep', 'drop'] as const) {
      const { chat } = await start(() => '')
      const { gpt, bodies } = await startOpenAI()
      await chat.append({ role: 'user', content: 'When is high tide?' })
      await answer(chat, gpt, tools, 'generate', { reasoning })
      expect((await chat.messages())[1]!.content).toMatchObject([
        { type: 'tool-call', toolCallId: 'ws_68a1', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'ws_68a1', providerExecuted: true },
        { type: 'text', text: 'High tide is at noon.' },
      ])
      await chat.append({ role: 'user', content: 'Are you sure?' })
      await answer(chat, gpt, tools, 'generate', { reasoning })
      const input = bodies[1]!['input'] as Json[]
      const references = input.filter(({ type }) => type === 'item_reference').map(({ id }) => id)
      expect(references.includes('ws_68a1')).toBe(reasoning === 'keep')
      expect(JSON.stringify(input)).toContain('High tide is at noon.')
      expect(JSON.stringify(input).includes('the provider ran web_search')).toBe(reasoning === 'drop')
      expect(input.some(({ type }) => type === 'function_call')).toBe(false)
    }
  })
})
