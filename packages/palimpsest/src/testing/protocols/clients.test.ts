import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { saysOverflow } from '../../summarizer/model/says-overflow.ts'
import { type ModelRequest, type ModelServer, startModelServer } from '../index.ts'

/** One script, asked through each provider's own client. */
const CLIENTS: Readonly<Record<string, { protocol: string; model: (url: string) => LanguageModel }>> = {
  '@ai-sdk/openai-compatible': {
    protocol: 'chat',
    model: url => createOpenAICompatible({ name: 'test', baseURL: url, includeUsage: true })('small'),
  },
  '@ai-sdk/openai, chat': {
    protocol: 'chat',
    model: url => createOpenAI({ baseURL: url, apiKey: 'none' }).chat('gpt-5-mini'),
  },
  '@ai-sdk/openai, responses': {
    protocol: 'responses',
    model: url => createOpenAI({ baseURL: url, apiKey: 'none' }).responses('gpt-5-mini'),
  },
  '@ai-sdk/anthropic': {
    protocol: 'messages',
    model: url => createAnthropic({ baseURL: url, apiKey: 'none' })('claude-haiku-4-5'),
  },
}

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const lookUp = tool({
  description: 'Looks up an order.',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => ({ id, status: 'shipped' }),
})

const LONG = `Order one is shipped 😀 and so is 订单二. ${'In many small pieces. '.repeat(5)}`

/** Two calls at once, then an answer that shows what came back. */
function twoLookUps({ said }: ModelRequest) {
  const results = said.filter(({ role }) => role === 'tool')
  if (results.length > 0) return { text: LONG, usage: { input: 200, cached: 150, output: 30 } }
  return {
    text: 'Let me see.',
    toolCalls: [
      { name: 'look_up', arguments: { id: 'one' } },
      { name: 'look_up', arguments: '{"id":"two 😀"}' },
    ],
    usage: { input: 120, cached: 0, output: 12 },
  }
}

describe.each(Object.entries(CLIENTS))('%s', (client, { protocol, model }) => {
  const question = {
    instructions: 'Be brief.',
    prompt: 'Where are my orders?',
    tools: { look_up: lookUp },
    stopWhen: stepCountIs(3),
    maxRetries: 0,
  }

  function expectRequests() {
    expect(server.requests.map(request => request.protocol)).toEqual([protocol, protocol])
    expect(server.requests[0]!.said).toEqual([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Where are my orders?' },
    ])
    expect(server.requests[0]!.tools).toMatchObject([
      { name: 'look_up', description: 'Looks up an order.', schema: { properties: { id: {} } } },
    ])
    expect(server.requests[1]!.said).toEqual([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Where are my orders?' },
      {
        role: 'assistant',
        text: 'Let me see.',
        toolCalls: [
          { id: 'call_1_1', name: 'look_up', arguments: '{"id":"one"}' },
          { id: 'call_1_2', name: 'look_up', arguments: '{"id":"two 😀"}' },
        ],
      },
      { role: 'tool', text: '{"id":"one","status":"shipped"}', toolCallId: 'call_1_1' },
      { role: 'tool', text: '{"id":"two 😀","status":"shipped"}', toolCallId: 'call_1_2' },
    ])
  }

  test('generates, with parallel tool calls', async () => {
    server.setReply(twoLookUps)
    const result = await generateText({ model: model(server.url), ...question })
    expect(result.text).toBe(LONG)
    expect(result.finishReason).toBe('stop')
    expect(result.usage).toMatchObject({
      inputTokens: 320,
      outputTokens: 42,
      inputTokenDetails: { cacheReadTokens: 150 },
    })
    expectRequests()
  })

  test('streams, with parallel tool calls', async () => {
    server.setReply(twoLookUps)
    const result = streamText({ model: model(server.url), ...question })
    const pieces: string[] = []
    for await (const piece of result.textStream) pieces.push(piece)
    expect(pieces.join('')).toBe(`Let me see.${LONG}`)
    expect(pieces.length).toBeGreaterThan(5)
    expect((await result.steps)[0]!.finishReason).toBe('tool-calls')
    expect(await result.finishReason).toBe('stop')
    expect(await result.totalUsage).toMatchObject({
      inputTokens: 320,
      outputTokens: 42,
      inputTokenDetails: { cacheReadTokens: 150 },
    })
    expectRequests()
  })

  async function streamed(options: { abortSignal?: AbortSignal; onText?: () => void } = {}) {
    const { abortSignal, onText } = options
    const errors: unknown[] = []
    const result = streamText({
      model: model(server.url),
      prompt: 'Hello',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
      ...(abortSignal && { abortSignal }),
    })
    let text = ''
    const types: string[] = []
    try {
      for await (const part of result.stream) {
        types.push(part.type)
        if (part.type !== 'text-delta') continue
        text += part.text
        onText?.()
      }
    } catch (error) {
      errors.push(error)
    }
    return { text, types, errors }
  }

  test('says what a script says, however little', async () => {
    for (const text of ['', ' ', '\r\n', '\ud800 and 😀'.repeat(40), 'x'.repeat(30_000)]) {
      server.setReply(text)
      const { text: read } = await generateText({ model: model(server.url), prompt: 'Hello', maxRetries: 0 })
      expect(read).toBe(text)
      expect(await streamed()).toMatchObject({ text, errors: [] })
    }
  })

  test('ends for the reasons for which models end', async () => {
    const ask = () => generateText({ model: model(server.url), prompt: 'Hello', maxRetries: 0 })
    server.setReply({ text: 'Half of', finishReason: 'length' })
    expect(await ask()).toMatchObject({ text: 'Half of', finishReason: 'length' })
    server.setReply({ text: '', finishReason: 'content_filter' })
    expect(await ask()).toMatchObject({ text: '', finishReason: 'content-filter' })
    server.setReply({ refusal: 'I cannot.' })
    expect((await ask()).finishReason).toBe('content-filter')
  })

  test('tool calls without arguments, and with broken ones', async () => {
    const ask = () =>
      streamText({
        model: model(server.url),
        prompt: 'Hello',
        maxRetries: 0,
        tools: { ping: tool({ inputSchema: z.object({}) }) },
      })
    server.setReply({ toolCalls: [{ name: 'ping', arguments: {} }] })
    expect(await ask().toolCalls).toMatchObject([{ toolCallId: 'call_1_1', toolName: 'ping', input: {} }])
    server.setReply({ toolCalls: [{ name: 'ping', arguments: '{"a": ', id: 'mine' }] })
    expect(await ask().toolCalls).toMatchObject([{ toolCallId: 'mine', toolName: 'ping', invalid: true }])
  })

  test.each([
    ['overflow', 400, false],
    ['rate_limited', 429, true],
    ['no_quota', protocol === 'messages' ? 400 : 429, protocol !== 'messages'],
    ['overloaded', protocol === 'messages' ? 529 : 503, true],
    ['internal', 500, true],
    ['unauthorized', 401, false],
    ['invalid', 400, false],
    ['not_found', 404, false],
  ] as const)('fails as the provider does: %s', async (kind, statusCode, isRetryable) => {
    server.setReply({ error: { kind } })
    const asked = generateText({ model: model(server.url), prompt: 'Hello', maxRetries: 0 })
    const error = await asked.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'AI_APICallError', statusCode, isRetryable })
    // The words of the body, and not those of the status: the shape was understood.
    expect((error as Error).message).toMatch(/ |Overloaded/)
    expect(JSON.parse((error as { responseBody: string }).responseBody)).toMatchObject(
      protocol === 'messages'
        ? { type: 'error', error: { message: (error as Error).message } }
        : { error: { message: (error as Error).message } },
    )
    expect(saysOverflow((error as Error).message)).toBe(kind === 'overflow')
    expect((await streamed()).errors).toMatchObject([{ statusCode }])
  })

  test('fails in the middle of a stream', async () => {
    server.setReply({ text: 'So far so good, and then', error: { kind: 'overloaded', isLate: true } })
    const { text, errors } = await streamed()
    expect(text).toBe('So far so good, and then')
    expect(errors.length).toBeGreaterThan(0)
    expect(JSON.stringify(errors) + String(errors[0])).toMatch(/overloaded/i)
  })

  test('breaks off, and stalls until somebody gives up', async () => {
    const half = { text: 'word '.repeat(40) }
    server.setReply({ ...half, fault: 'cut_off' })
    const broken = await streamed()
    expect(broken.errors).toHaveLength(1)
    expect(broken.text).toBe('word '.repeat(20))

    server.setReply({ ...half, fault: 'stall' })
    const abort = new AbortController()
    const stalled = await streamed({ abortSignal: abort.signal, onText: () => abort.abort() })
    expect(stalled.types.at(-1)).toBe('abort')
    expect('word '.repeat(20).startsWith(stalled.text) && stalled.text !== '').toBe(true)
  })

  test('reasons, where the client reads it', async () => {
    server.setReply({ text: 'Forty-two.', reasoning: 'Six times seven.' })
    const answered = await generateText({ model: model(server.url), prompt: 'Hello', maxRetries: 0 })
    const heard = client === '@ai-sdk/openai, chat' ? undefined : 'Six times seven.'
    expect(answered).toMatchObject({ text: 'Forty-two.', reasoningText: heard })
    const result = streamText({ model: model(server.url), prompt: 'Hello', maxRetries: 0 })
    expect(await result.reasoningText).toBe(heard)
    expect(await result.text).toBe('Forty-two.')
  })

  test('what was cached', async () => {
    server.setReply({ text: 'Yes.', usage: { input: 100, cached: 60, cacheWritten: 30, output: 7 } })
    const { usage } = await generateText({ model: model(server.url), prompt: 'Hello', maxRetries: 0 })
    expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 7 })
    expect(usage.inputTokenDetails.cacheReadTokens).toBe(60)
    if (protocol === 'messages')
      expect(usage.inputTokenDetails).toMatchObject({ cacheWriteTokens: 30, noCacheTokens: 10 })
  })
})
