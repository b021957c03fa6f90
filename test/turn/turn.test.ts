import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, streamText, ToolLoopAgent, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { findInRequests } from '../frameworks/check-requests.ts'
import { ANSWER, conversation, QUESTION, scriptedAssistant } from '../frameworks/scripted-assistant.ts'
import { sqlitePlace } from '../stores.ts'

const INSTRUCTIONS = 'You are a helpful assistant in a shop.'
const BUDGET = 8_000

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(reply: ModelScript, options: Partial<PalimpsestOptions> = {}) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const open = async () =>
    createPalimpsest({ store: await place.open(), policy: tokens({ budget: BUDGET }), ...options })
  const palimpsest = await open()
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    () => palimpsest.close(),
  )
  const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  return { server, palimpsest, chat: palimpsest.session('chat', { user: 'ann' }), model, open }
}

const tools = {
  look_up_order: tool({
    description: 'Where an order is.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, status: 'shipped', carrier: 'PostNL' }),
  }),
}

test('an answer is stored with its tool calls, their results and what it took', async () => {
  const { chat, model, server } = await start(scriptedAssistant)
  await chat.append({ role: 'user', content: 'Where is order B-7?' })
  const turn = await chat.turn({ instructions: INSTRUCTIONS, tools })
  const result = await generateText({ model, ...turn.prompt })
  expect(result.text).toBe('It was shipped with PostNL.')
  const finished = await turn.finish(result)
  expect(finished).toMatchObject({ status: 'complete', seqs: [2, 3, 4], usage: { outputTokens: 40 } })
  const messages = await chat.messages()
  expect(messages.map(({ role, replyTo }) => [role, replyTo])).toEqual([
    ['user', null],
    ['assistant', 1],
    ['tool', 1],
    ['assistant', 1],
  ])
  expect(messages[1]!.content).toMatchObject([
    { type: 'text', text: 'One moment.' },
    { type: 'tool-call', toolName: 'look_up_order', input: { id: 'B-7' } },
  ])
  expect(messages[2]!.content).toMatchObject([
    { type: 'tool-result', output: { type: 'json', value: { status: 'shipped' } } },
  ])
  expect(server.requests[0]!.tools.map(({ name }) => name)).toEqual([
    'write_user_memory',
    'write_chat_memory',
    'query_history',
    'expand_history',
    'look_up_order',
  ])
  expect(await turn.finish(result)).toBe(await turn.finish(result))
  expect(await chat.count()).toBe(4)
})

const PROVIDERS: Record<string, (server: ModelServer) => LanguageModel> = {
  'chat completions': ({ url }) => createOpenAICompatible({ name: 'loopback', baseURL: url })('scripted'),
  'OpenAI Responses': ({ url }) => createOpenAI({ baseURL: url, apiKey: 'none' })('gpt-5-mini'),
  'Anthropic Messages': ({ url }) => createAnthropic({ baseURL: url, apiKey: 'none' })('claude-haiku-4-5'),
}

describe.each(Object.entries(PROVIDERS))('%s', (name, modelOf) => {
  test('sixty turns through folds: valid, within the window, and the prefix grows', async () => {
    const { server, palimpsest, chat } = await start(scriptedAssistant)
    const model = modelOf(server)
    let text = ''
    for (const [index, content] of conversation(60).entries()) {
      await chat.append({ role: 'user', content })
      const turn = await chat.turn({ instructions: INSTRUCTIONS, tools })
      const isStream = index % 2 === 0
      const result = isStream
        ? streamText({ model, ...turn.prompt })
        : await generateText({ model, ...turn.prompt })
      expect(await turn.finish(result)).toMatchObject({ status: 'complete' })
      text = await result.text
      await palimpsest.settled()
    }
    expect(text).toBe(ANSWER)
    const found = findInRequests(server.requests)
    expect(found).toMatchObject({ invalid: [], brokenPrefixes: [] })
    expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
    expect(found.beginnings).toBeGreaterThan(2)
    expect(found.beginnings).toBeLessThan(12)
    const isAnthropic = name === 'Anthropic Messages'
    expect(found.marked).toBe(isAnthropic ? server.requests.length : 0)
    expect(found.mostMarks).toBe(isAnthropic ? 4 : 0)
    const { messages } = (await chat.info())!
    // The calls for orders, and one more where the context did not tell of the first turn.
    expect([158, 160]).toContain(messages)
  })
})

test('what is said while a turn is under way is for the next one', async () => {
  const { chat, model, server } = await start(async request => {
    if (request.said.at(-1)?.role === 'user') await chat.append({ role: 'user', content: 'And a cake.' })
    return scriptedAssistant(request)
  })
  await chat.append({ role: 'user', content: 'Where is order B-7?' })
  const turn = await chat.turn({ tools })
  const result = await generateText({ model, ...turn.prompt })
  await turn.finish(result)
  expect(server.requests).toHaveLength(2)
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('And a cake.')
  const next = await chat.context()
  expect(JSON.stringify(next.messages)).toContain('And a cake.')
  expect((await chat.messages()).map(({ role }) => role)).toEqual([
    'user',
    'user',
    'assistant',
    'tool',
    'assistant',
  ])
})

describe('a long loop of tool calls', () => {
  const reader = tool({
    description: 'Reads a page.',
    inputSchema: z.object({ page: z.number() }),
    execute: async ({ page }) => `Page ${page}. ${'The river runs to the sea. '.repeat(150)}`,
  })
  const readsThirtyPages: ModelScript = ({ said }) => {
    const pages = said.filter(({ role }) => role === 'tool').length
    const last = /Page (\d+)\./.exec(said.findLast(({ role }) => role === 'tool')?.text ?? '')
    const page = Math.max(pages, Number(last?.[1] ?? 0)) + 1
    return page <= 30 ? { toolCalls: [{ name: 'read', arguments: { page } }] } : 'I have read it all.'
  }

  test('stays within the window, and each step is stored before the next', async () => {
    const stored: number[] = []
    const { chat, model, server } = await start(async (request, index) => {
      stored.push(await chat.count())
      return (readsThirtyPages as (r: typeof request, i: number) => string)(request, index)
    })
    await chat.append({ role: 'user', content: 'Read the book for me, 谢谢.' })
    const turn = await chat.turn({ instructions: INSTRUCTIONS, tools: { read: reader }, maxSteps: 40 })
    const result = await generateText({ model, ...turn.prompt })
    expect(result.text).toBe('I have read it all.')
    await turn.finish(result)
    const found = findInRequests(server.requests)
    expect(found.invalid).toEqual([])
    expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
    expect(server.requests).toHaveLength(31)
    expect(stored).toEqual(Array.from({ length: 31 }, (_, step) => 1 + 2 * step))
    for (const { said } of server.requests)
      expect(JSON.stringify(said)).toContain('Read the book for me, 谢谢.')
    expect(await chat.count()).toBe(62)
  })

  test('the next question is answered with the newest pages in sight', async () => {
    const { chat, model, server } = await start(readsThirtyPages)
    await chat.append({ role: 'user', content: 'Read the book for me.' })
    const turn = await chat.turn({ tools: { read: reader }, maxSteps: 40 })
    await turn.finish(await generateText({ model, ...turn.prompt }))
    await chat.append({ role: 'user', content: 'How did it end?' })
    const next = await chat.turn({ tools: { read: reader } })
    const shown = next.context.report.blocks.find(({ name }) => name === 'raw')?.tokens ?? 0
    expect(shown).toBeGreaterThan(BUDGET * 0.2)
    expect(JSON.stringify(next.prompt.messages)).toContain('Page 30. ')
    expect(findInRequests(server.requests).invalid).toEqual([])
  })

  test('ends after as many steps as it may have', async () => {
    const { chat, model } = await start(readsThirtyPages)
    await chat.append({ role: 'user', content: 'Read it.' })
    const turn = await chat.turn({ tools: { read: reader }, maxSteps: 3 })
    const result = await generateText({ model, ...turn.prompt })
    expect(result.steps).toHaveLength(3)
    await turn.finish(result)
    expect(await chat.count()).toBe(7)
  })
})

test('an agent of the SDK takes the prompt too', async () => {
  const { chat, model } = await start(scriptedAssistant)
  await chat.append({ role: 'user', content: 'Where is order B-7?' })
  const turn = await chat.turn({ instructions: INSTRUCTIONS, tools })
  const { messages, ...settings } = turn.prompt
  const agent = new ToolLoopAgent({ model, ...settings })
  expect(await turn.finish(await agent.generate({ messages }))).toMatchObject({ status: 'complete' })
  const again = await chat.turn({ instructions: INSTRUCTIONS, tools })
  expect(await again.finish(agent.stream({ messages: again.prompt.messages }))).toMatchObject({
    status: 'complete',
  })
  expect((await chat.messages()).at(-1)).toMatchObject({ role: 'assistant' })
})

describe('a reply that does not come to its end', () => {
  test('a stream that is stopped is stored as far as it came, and marked', async () => {
    const { chat, model } = await start({ text: 'The tide turns at noon. '.repeat(40), fault: 'stall' })
    await chat.append({ role: 'user', content: 'When does the tide turn?' })
    const turn = await chat.turn()
    const stopper = new AbortController()
    const result = streamText({ model, ...turn.prompt, abortSignal: stopper.signal, onError: () => {} })
    let heard = ''
    for await (const text of result.textStream) {
      heard += text
      if (heard.length > 60) stopper.abort()
    }
    expect(await turn.finish(result)).toMatchObject({ status: 'aborted', seqs: [2] })
    const [, reply] = await chat.messages()
    expect(reply!.content).toMatchObject([{ type: 'text', interrupted: 'aborted' }])
    expect(JSON.stringify(reply!.content)).toContain(heard.trim().slice(0, 60))
    await chat.append({ role: 'user', content: 'Go on.' })
    const { messages } = await chat.context()
    expect(messages[1]).toMatchObject({ role: 'assistant' })
    expect(JSON.stringify(messages[1])).toContain('[interrupted]')
  })

  test('a stream that breaks off is stored as far as it came, with the steps before', async () => {
    const { chat, model } = await start(request =>
      request.said.at(-1)?.role === 'tool'
        ? { text: 'It was shipped, and the rest of this is never heard. '.repeat(9), fault: 'cut_off' }
        : scriptedAssistant(request),
    )
    await chat.append({ role: 'user', content: 'Where is order B-7?' })
    const turn = await chat.turn({ tools })
    const result = streamText({ model, ...turn.prompt, onError: () => {} })
    const finished = await turn.finish(result)
    expect(finished).toMatchObject({ status: 'failed', seqs: [2, 3, 4] })
    expect(finished.error).toBeDefined()
    const messages = await chat.messages()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[3]!.content).toMatchObject([{ type: 'text', interrupted: 'failed' }])
  })

  test('a call that throws leaves its finished steps, and says that it ended there', async () => {
    const { chat, model } = await start(request =>
      request.said.at(-1)?.role === 'tool' ? { status: 500 } : scriptedAssistant(request),
    )
    await chat.append({ role: 'user', content: 'Where is order B-7?' })
    const turn = await chat.turn({ tools })
    const error = await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(error => error)
    expect(await turn.fail(error)).toMatchObject({ status: 'failed', seqs: [2, 3, 4] })
    const messages = await chat.messages()
    expect(messages[3]!.content).toEqual([{ type: 'text', text: '', interrupted: 'failed' }])
    await chat.append({ role: 'user', content: 'Well?' })
    expect(JSON.stringify((await chat.context()).messages)).toContain('[interrupted]')
  })

  test('one that never said a word leaves nothing, and the prompt can be sent again', async () => {
    let asked = 0
    const { chat, model } = await start(request =>
      ++asked === 1 ? { status: 500 } : scriptedAssistant(request),
    )
    await chat.append({ role: 'user', content: 'Where is order B-7?' })
    const turn = await chat.turn({ tools })
    const error = await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(error => error)
    expect(await turn.fail(error)).toMatchObject({ status: 'failed', seqs: [] })
    expect(await chat.count()).toBe(1)
    await turn.finish(await generateText({ model, ...turn.prompt }))
    expect(await chat.count()).toBe(4)
  })

  test('a prompt that is sent again after some steps stores both attempts, each once', async () => {
    let asked = 0
    const { chat, model } = await start(request =>
      ++asked === 2 ? { status: 500 } : scriptedAssistant(request),
    )
    await chat.append({ role: 'user', content: 'Where is order B-7?' })
    const turn = await chat.turn({ tools })
    await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(error => turn.fail(error))
    await turn.finish(await generateText({ model, ...turn.prompt }))
    expect((await chat.messages()).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'assistant',
      'tool',
      'assistant',
    ])
  })
})

describe.each(Object.entries(PROVIDERS))('%s: a prompt that the provider finds too long', (_, modelOf) => {
  test.each(['generateText', 'streamText'])('%s: is folded and sent once more, shorter', async call => {
    const lengths: number[] = []
    const { server, chat } = await start(
      ({ said }) => {
        lengths.push(JSON.stringify(said).length)
        return lengths.length === 1 ? { error: { kind: 'overflow' } } : 'Now it fits.'
      },
      { folding: 'manual' },
    )
    for (const content of conversation(20))
      await chat.append([
        { role: 'user', content },
        { role: 'assistant', content: 'Noted.' },
      ])
    await chat.append({ role: 'user', content: QUESTION })
    const turn = await chat.turn({ instructions: INSTRUCTIONS, budget: 100_000 })
    const model = modelOf(server)
    const result =
      call === 'streamText'
        ? streamText({ model, ...turn.prompt })
        : await generateText({ model, ...turn.prompt })
    expect(await turn.finish(result)).toMatchObject({ status: 'complete' })
    expect(await result.text).toBe('Now it fits.')
    expect(lengths).toHaveLength(2)
    expect(lengths[1]!).toBeLessThan(lengths[0]! * 0.7)
    expect((await chat.info())!.segments).toBeGreaterThan(0)
    expect(findInRequests(server.requests).invalid).toEqual([])
    expect(server.requests[1]!.said.at(-1)!.text).toContain(QUESTION)
  })

  test('and that stays too long is the provider’s error, after two calls', async () => {
    const { server, chat } = await start({ error: { kind: 'overflow' } })
    await chat.append({ role: 'user', content: 'Hello. '.repeat(300) })
    const turn = await chat.turn()
    const error = await generateText({ model: modelOf(server), ...turn.prompt, maxRetries: 0 }).catch(
      error => error,
    )
    expect(error).toMatchObject({ statusCode: 400 })
    expect(server.requests.length).toBeLessThanOrEqual(2)
    expect(await turn.fail(error)).toMatchObject({ status: 'failed', seqs: [] })
  })
})

test('the usage of the provider is learned from', async () => {
  const { chat, model, palimpsest } = await start({ text: 'Yes.', usage: { input: 4_000, output: 5 } })
  await chat.append({ role: 'user', content: 'Is it so? '.repeat(200) })
  const turn = await chat.turn({ model })
  const before = turn.context.report.tokens
  await turn.finish(await generateText({ model, ...turn.prompt }))
  await chat.compact({ force: true })
  await chat.append({ role: 'user', content: 'Is it so? '.repeat(200) })
  for (let turns = 0; turns < 3; turns++) {
    const next = await chat.turn({ model })
    await next.finish(await generateText({ model, ...next.prompt }))
    await chat.append({ role: 'user', content: 'And so? '.repeat(150) })
    await chat.compact({ force: true })
  }
  const learned = await chat.context({ model: 'loopback.chat:scripted' })
  expect(learned.report.tokens).toBeGreaterThan(learned.estimatedInputTokens)
  expect(before).toBeGreaterThan(0)
  await palimpsest.settled()
})

test('memory tools can be left out', async () => {
  const { chat, model, server } = await start('Yes.')
  await chat.append({ role: 'user', content: 'Hello' })
  const turn = await chat.turn({ memoryTools: false })
  await turn.finish(await generateText({ model, ...turn.prompt }))
  expect(server.requests[0]!.tools).toEqual([])
})

test('a session that holds nothing yet is a clear error', async () => {
  const { palimpsest } = await start('Yes.')
  await expect((palimpsest as Palimpsest).session('new').turn({ memoryTools: false })).rejects.toMatchObject({
    code: 'session_not_found',
  })
})

describe('a turn that answers messages that wait', () => {
  const awaits = { burst: 'ann', address: { chat: '7' } }

  test('notes with the end of the answer that they are answered, and points to the first of them', async () => {
    const { chat, model, palimpsest } = await start(scriptedAssistant)
    await chat.append({ role: 'user', content: 'Hello there' }, { awaits })
    await chat.append({ role: 'user', content: 'Where is order B-7?' }, { awaits })
    const turn = await chat.turn({ tools, answers: [1, 2] })
    const result = await generateText({ model, ...turn.prompt })
    expect((await palimpsest.waiting()).map(({ reply }) => reply)).toEqual([null, null])
    await turn.finish(result)
    expect(await palimpsest.waiting()).toMatchObject([{ seq: 1, reply: [3, 4, 5] }])
    expect((await chat.messages()).slice(2).map(({ replyTo }) => replyTo)).toEqual([1, 1, 1])
  })

  test('of which one attempt failed is the other one', async () => {
    let requests = 0
    const { chat, model, palimpsest } = await start(({ said }) => {
      requests += 1
      if (said.at(-1)!.role === 'tool') return requests === 2 ? { status: 500, body: 'no' } : 'Shipped.'
      return { toolCalls: [{ name: 'look_up_order', arguments: { id: `B-${requests}` } }] }
    })
    await chat.append({ role: 'user', content: 'Where is order B-7?' }, { awaits })
    const turn = await chat.turn({ tools, answers: [1] })
    const first = generateText({ model, maxRetries: 0, ...turn.prompt })
    await turn.fail(await first.catch(error => error))
    await turn.finish(await generateText({ model, maxRetries: 0, ...turn.prompt }))
    const log = await chat.messages()
    expect(log.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant'],
      ...['assistant', 'tool', 'assistant'],
    ])
    expect(await palimpsest.waiting()).toMatchObject([{ reply: [5, 6, 7] }])
  })

  test('leaves them waiting where it was cut off, and stores nothing where another one answered', async () => {
    const { chat, model, palimpsest } = await start(scriptedAssistant)
    await chat.append({ role: 'user', content: 'Hello' }, { awaits })
    const failed = await chat.turn({ answers: [1] })
    await failed.fail(new Error('no line'))
    expect(await palimpsest.waiting()).toMatchObject([{ seq: 1, reply: null }])
    const [slow, quick] = [await chat.turn({ answers: [1] }), await chat.turn({ answers: [1] })]
    const late = await generateText({ model, ...slow.prompt })
    await quick.finish(await generateText({ model, ...quick.prompt }))
    await expect(slow.finish(late)).rejects.toMatchObject({ code: 'not_waiting' })
    expect(await chat.count()).toBe(2)
  })
})

test('a reminder stands at the end of every request of the turn, and is not stored', async () => {
  const { chat, model, server } = await start(({ said }) =>
    said.at(-1)!.role === 'tool'
      ? { text: 'Done.' }
      : { toolCalls: [{ id: 'c-1', name: 'look_up_order', arguments: { id: 'B-7' } }] },
  )
  await chat.append({ role: 'user', content: 'Where is order B-7?' })
  const turn = await chat.turn({ tools, reminder: 'Answer Ann.' })
  await turn.finish(await generateText({ model, ...turn.prompt }))
  const places = server.requests.map(({ said }) =>
    said.findIndex(({ text }) => text === '[system]: Answer Ann.'),
  )
  // After the instructions and the question, before the call and its result.
  expect(places).toEqual([2, 2])
  expect(server.requests[1]!.said).toHaveLength(5)
  expect(turn.context.report.tokens).toBeLessThanOrEqual(BUDGET)
  expect(JSON.stringify(await chat.messages())).not.toContain('Answer Ann.')
  await expect(chat.turn({ reminder: ' ' })).rejects.toThrow(/reminder/)
  await expect(chat.turn({ answers: [] })).rejects.toThrow(/answers/)
})

test('with a reminder, what somebody allowed is done as without', async () => {
  const { chat, model } = await start('Done.')
  await chat.append([
    { role: 'user', content: 'Delete it.' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c', toolName: 'delete_it', input: {} },
        { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
  ])
  let deleted = 0
  const delete_it = tool({
    description: 'Deletes it.',
    inputSchema: z.object({}),
    execute: async () => {
      deleted += 1
    },
  })
  const turn = await chat.turn({ tools: { delete_it }, reminder: 'Answer Ann.' })
  await turn.finish(await generateText({ model, ...turn.prompt }))
  expect(deleted).toBe(1)
})
