import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { sqlitePlace } from '../stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const PROVIDERS: Record<string, (server: ModelServer) => LanguageModel> = {
  'chat completions': ({ url }) =>
    createOpenAICompatible({ name: 'loopback', baseURL: url, includeUsage: true })('scripted'),
  'OpenAI Responses': ({ url }) => createOpenAI({ baseURL: url, apiKey: 'none' })('gpt-5-mini'),
  'Anthropic Messages': ({ url }) => createAnthropic({ baseURL: url, apiKey: 'none' })('claude-haiku-4-5'),
}

const tools = {
  look_up_order: tool({
    description: 'Where an order is.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, status: 'shipped' }),
  }),
}

/** A step with a tool call, for 1,000 tokens of which 400 were cached; what comes after it is the test's. */
function firstCalls(then: ModelScript): ModelScript {
  return (request, index) => {
    if (request.said.at(-1)!.role === 'tool') return typeof then === 'function' ? then(request, index) : then
    return {
      text: 'One moment.',
      toolCalls: [{ name: 'look_up_order', arguments: { id: 'B-7' } }],
      usage: { input: 1_000, cached: 400, output: 30 },
    }
  }
}

const FIRST = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 30 }
const BOTH = { inputTokens: 2_200, cachedInputTokens: 400, outputTokens: 37 }
const whole = { text: 'It was shipped.', usage: { input: 1_200, output: 7 } }

async function start(reply: ModelScript, modelOf: (server: ModelServer) => LanguageModel) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 8_000 }),
    folding: 'manual',
  })
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    () => palimpsest.close(),
  )
  const chat = palimpsest.session('chat')
  await chat.append({ role: 'user', content: 'Where is order B-7?' })
  return { server, palimpsest, chat, model: modelOf(server) }
}

describe.each(Object.entries(PROVIDERS))('%s', (_, modelOf) => {
  test.each(['generateText', 'streamText'])('%s: a whole answer', async how => {
    const { chat, model } = await start(firstCalls(whole), modelOf)
    const turn = await chat.turn({ tools, memoryTools: false })
    const settings = { model, ...turn.prompt }
    const finished = await turn.finish(
      how === 'streamText' ? streamText(settings) : await generateText(settings),
    )
    expect(finished).toMatchObject({ status: 'complete', usage: BOTH, uncountedCalls: 0 })
    expect([turn.usage, turn.uncountedCalls]).toEqual([BOTH, 0])
  })

  test('generateText that throws: the steps before', async () => {
    const { chat, model } = await start(firstCalls({ status: 500 }), modelOf)
    const turn = await chat.turn({ tools, memoryTools: false })
    const error = await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(error => error)
    // What was refused took nothing.
    expect(await turn.fail(error)).toMatchObject({ status: 'failed', usage: FIRST, uncountedCalls: 0 })
  })

  test('generateText that is stopped: the steps before, and a call of which nothing is known', async () => {
    const { chat, model, server } = await start(firstCalls({ fault: 'hang' }), modelOf)
    const turn = await chat.turn({ tools, memoryTools: false })
    const stopper = new AbortController()
    void expect
      .poll(() => server.requests.length)
      .toBe(2)
      .then(() => stopper.abort())
    const error = await generateText({ model, ...turn.prompt, abortSignal: stopper.signal }).catch(
      error => error,
    )
    expect(await turn.fail(error)).toMatchObject({ status: 'aborted', usage: FIRST, uncountedCalls: 1 })
  })

  test.each([
    ['breaks off', 'cut_off', 'failed'],
    ['is stopped', 'stall', 'aborted'],
  ] as const)('streamText that %s', async (_, fault, status) => {
    const text = 'It was shipped, and the rest of this is never heard. '.repeat(9)
    const { chat, model } = await start(firstCalls({ text, fault, usage: whole.usage }), modelOf)
    const turn = await chat.turn({ tools, memoryTools: false })
    const stopper = new AbortController()
    const result = streamText({ model, ...turn.prompt, abortSignal: stopper.signal, onError: () => {} })
    let heard = ''
    const read = async () => {
      for await (const text of result.textStream) {
        heard += text
        if (fault === 'stall' && heard.length > 80) stopper.abort()
      }
    }
    await read().catch(() => {})
    expect(await turn.finish(result)).toMatchObject({ status, usage: FIRST, uncountedCalls: 1 })
  })

  test('two attempts: the first one was paid, too', async () => {
    let failures = 1
    const { chat, model } = await start(
      firstCalls(() => (failures-- > 0 ? { status: 500 } : whole)),
      modelOf,
    )
    const turn = await chat.turn({ tools, memoryTools: false })
    const error = await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(error => error)
    await turn.fail(error)
    const finished = await turn.finish(await generateText({ model, ...turn.prompt, maxRetries: 0 }))
    expect(finished).toMatchObject({
      status: 'complete',
      usage: { inputTokens: 3_200, cachedInputTokens: 800, outputTokens: 67 },
      uncountedCalls: 0,
    })
  })
})

test('a model that is known by its name only counts by what the SDK says of its steps', async () => {
  const { chat, server } = await start(firstCalls(whole), PROVIDERS['chat completions']!)
  const provider = createOpenAICompatible({ name: 'loopback', baseURL: server.url, includeUsage: true })
  const registered = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown }
  registered.AI_SDK_DEFAULT_PROVIDER = provider
  cleanups.push(async () => delete registered.AI_SDK_DEFAULT_PROVIDER)
  const turn = await chat.turn({ tools, memoryTools: false })
  const result = await generateText({ model: 'scripted' as never, ...turn.prompt })
  expect(await turn.finish(result)).toMatchObject({ usage: BOTH })
  const stream = streamText({ model: 'scripted' as never, ...turn.prompt })
  expect(await turn.finish(stream)).toMatchObject({
    usage: { inputTokens: 4_400, cachedInputTokens: 800, outputTokens: 74 },
  })
})

test('a provider that does not count: nothing is known, and that is said', async () => {
  const body = {
    ...{ id: 'c', object: 'chat.completion', created: 0, model: 'scripted' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  }
  const { chat, model } = await start({ body: JSON.stringify(body) }, PROVIDERS['chat completions']!)
  const turn = await chat.turn({ memoryTools: false })
  const result = await generateText({ model, ...turn.prompt })
  expect(result.text).toBe('Yes.')
  expect(await turn.finish(result)).toMatchObject({ status: 'complete', usage: null, uncountedCalls: 1 })
})

test('a call that also shows the result of what was allowed is not learned from', async () => {
  const { chat, model, server } = await start(
    { toolCalls: [{ name: 'read', arguments: {} }], usage: { input: 1, output: 1 } },
    PROVIDERS['chat completions']!,
  )
  const read = tool({ inputSchema: z.object({}), execute: async () => 'A long page. '.repeat(90) })
  const toolApproval = { read: 'user-approval' } as const
  const asking = await chat.turn({ tools: { read }, memoryTools: false })
  await asking.finish(await generateText({ model, ...asking.prompt, toolApproval }))
  const part = (await chat.messages())[1]!.content as readonly { type: string; approvalId?: string }[]
  const { approvalId } = part.find(({ type }) => type === 'tool-approval-request')!
  await chat.append({
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: approvalId!, approved: true }],
  })
  const turn = await chat.turn({ tools: { read }, memoryTools: false })
  const input = Math.round(turn.context.estimatedInputTokens * 1.8)
  server.setReply({ text: 'Read.', usage: { input, output: 1 } })
  expect(await turn.finish(await generateText({ model, ...turn.prompt, toolApproval }))).toMatchObject({
    usage: { inputTokens: input },
  })
  await chat.rollback(3)
  const next = await chat.context({ model: 'loopback.chat:scripted' })
  expect(next.report.tokens).toBe(next.estimatedInputTokens)
})
