import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, modelSummarizer, sqlite, tokens } from '../index.ts'
import { SummarizerError } from '../summarizer/index.ts'
import { type ModelRequest, modelFailures, type ScriptedModel, scriptedModel } from './index.ts'

const lookUp = tool({
  description: 'Looks up an order.',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => ({ id, status: 'shipped' }),
})

function twoLookUps({ said }: ModelRequest) {
  if (said.some(({ role }) => role === 'tool'))
    return {
      text: `Both are shipped 😀. ${'In pieces. '.repeat(9)}`,
      usage: { input: 50, cached: 40, output: 5 },
    }
  const toolCalls = ['one', 'two'].map(id => ({ name: 'look_up', arguments: { id } }))
  return { text: 'Let me see.', reasoning: 'They want to know.', toolCalls }
}

const QUESTION = {
  instructions: 'Be brief.',
  prompt: 'Where are my orders?',
  tools: { look_up: lookUp },
  stopWhen: stepCountIs(3),
  maxRetries: 0,
}

test('is a language model, by its type too', () => {
  expectTypeOf<ScriptedModel>().toExtend<LanguageModel>()
  expectTypeOf<ScriptedModel>().toExtend<Exclude<LanguageModel, string>>()
  expect(scriptedModel('', { modelId: 'small' })).toMatchObject({ provider: 'scripted', modelId: 'small' })
})

function expectRequests(model: ScriptedModel, stream: boolean) {
  expect(model.requests).toHaveLength(2)
  expect(model.requests[0]).toMatchObject({
    protocol: 'in-process',
    body: { model: 'scripted', stream, prompt: [{ role: 'system' }, { role: 'user' }] },
    tools: [{ name: 'look_up', description: 'Looks up an order.', schema: { properties: { id: {} } } }],
  })
  expect(model.requests[1]!.said).toEqual([
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'Where are my orders?' },
    {
      role: 'assistant',
      text: 'Let me see.',
      toolCalls: [
        { id: 'call_1_1', name: 'look_up', arguments: '{"id":"one"}' },
        { id: 'call_1_2', name: 'look_up', arguments: '{"id":"two"}' },
      ],
    },
    { role: 'tool', text: '{"id":"one","status":"shipped"}', toolCallId: 'call_1_1' },
    { role: 'tool', text: '{"id":"two","status":"shipped"}', toolCallId: 'call_1_2' },
  ])
}

test('generates, with tools and reasoning', async () => {
  const model = scriptedModel(twoLookUps)
  const result = await generateText({ model, ...QUESTION })
  expect(result.text).toMatch(/^Both are shipped 😀/)
  expect(result.steps[0]).toMatchObject({ reasoningText: 'They want to know.', finishReason: 'tool-calls' })
  expect(result.finalStep.usage).toMatchObject({
    inputTokens: 50,
    outputTokens: 5,
    inputTokenDetails: { cacheReadTokens: 40 },
  })
  expectRequests(model, false)
})

test('streams, with tools and reasoning', async () => {
  const model = scriptedModel(twoLookUps)
  const result = streamText({ model, ...QUESTION })
  const types = new Set<string>()
  for await (const part of result.stream) types.add(part.type)
  expect(await result.text).toMatch(/^Both are shipped 😀/)
  const deltas = ['text-delta', 'reasoning-delta', 'tool-input-delta']
  expect([...types]).toEqual(expect.arrayContaining(deltas))
  expect((await result.steps)[0]).toMatchObject({ reasoningText: 'They want to know.' })
  expect(await result.finishReason).toBe('stop')
  expectRequests(model, true)
})

test('says what a script says, and from then on what the next one says', async () => {
  const model = scriptedModel()
  for (const text of ['', ' \r\n', '\ud800 and 😀'.repeat(40), '{"a":1}']) {
    model.setReply(text)
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe(text)
    expect(await streamText({ model, prompt: 'Hello' }).text).toBe(text)
  }
  const output = Output.object({ schema: z.object({ a: z.number() }) })
  expect((await generateText({ model, prompt: 'Hello', output })).output).toEqual({ a: 1 })
  expect(model.requests.at(-1)!.body['responseFormat']).toMatchObject({ type: 'json' })
})

test('a script that throws is what the caller sees', async () => {
  const model = scriptedModel(() => {
    throw new Error('no such scene')
  })
  await expect(generateText({ model, prompt: 'Hello' })).rejects.toThrow('no such scene')
  expect(model.requests).toHaveLength(1)
})

describe('aborts', () => {
  const long = { text: 'word '.repeat(40) }

  test.each([
    ['hanging', { fault: 'hang' }],
    ['waiting', { ...long, delayMs: 3_600_000 }],
    ['stalled', { ...long, fault: 'stall' }],
    ['undecided', () => new Promise<string>(() => {})],
  ] as const)('one that is %s', async (_, script) => {
    const model = scriptedModel(script)
    const abort = new AbortController()
    const asked = generateText({ model, prompt: 'Hello', abortSignal: abort.signal })
    const outcome = asked.then(
      () => 'answered',
      (error: Error) => error.name,
    )
    await expect.poll(() => model.requests.length).toBe(1)
    abort.abort()
    expect(await outcome).toBe('AbortError')
    await expect(generateText({ model, prompt: 'Hello', abortSignal: abort.signal })).rejects.toThrow()
    expect(model.requests).toHaveLength(1)
  })

  test('a stream that has begun', async () => {
    const abort = new AbortController()
    const model = scriptedModel({ ...long, fault: 'stall' })
    const result = streamText({ model, prompt: 'Hello', abortSignal: abort.signal })
    let text = ''
    const types: string[] = []
    for await (const part of result.stream) {
      types.push(part.type)
      if (part.type === 'text-delta') text += part.text
      if (text === 'word '.repeat(20)) abort.abort()
    }
    expect(text).toBe('word '.repeat(20))
    expect(types.at(-1)).toBe('abort')
  })

  test('a signal that serves for many calls is let go of', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const { signal } = new AbortController()
    const model = scriptedModel({ ...long, delayMs: 1 })
    for (let call = 0; call < 20; call++) {
      await model.doGenerate({ prompt: [], abortSignal: signal })
      for await (const part of (await model.doStream({ prompt: [], abortSignal: signal })).stream) void part
    }
    await new Promise(resolve => setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })
})

test('fails with errors that the SDK knows', async () => {
  const model = scriptedModel({ error: { kind: 'rate_limited' }, headers: { 'retry-after-ms': '1' } })
  const error = await generateText({ model, prompt: 'Hello', maxRetries: 0 }).catch(
    (thrown: unknown) => thrown,
  )
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({ statusCode: 429, isRetryable: true })
  model.setReply((_, index) => (index < 3 ? { status: 503, headers: { 'retry-after-ms': '1' } } : 'At last.'))
  expect((await generateText({ model, prompt: 'Hello' })).text).toBe('At last.')
})

test('fails in the middle of a stream', async () => {
  const text = 'word '.repeat(40)
  for (const [reply, far, words] of [
    [{ text, error: { kind: 'overflow', isLate: true } }, text, 'maximum context length'],
    [{ text, fault: 'cut_off' }, 'word '.repeat(20), 'ECONNRESET'],
  ] as const) {
    const errors: unknown[] = []
    const result = streamText({
      model: scriptedModel(reply),
      prompt: 'Hello',
      onError: ({ error }) => void errors.push(error),
    })
    let read = ''
    try {
      for await (const part of result.stream) if (part.type === 'text-delta') read += part.text
    } catch (error) {
      errors.push(error)
    }
    expect(read).toBe(far)
    expect(String(errors[0])).toContain(words)
  }
})

const LIKE_OVER_HTTP = {
  'too many requests': 'rate_limited',
  'internal error': 'unavailable',
  overloaded: 'unavailable',
  'wrong key': 'unauthorized',
  'context overflow': 'overflow',
  'connection reset': 'unavailable',
  'body cut off': 'unavailable',
  hang: 'timeout',
  'empty text': 'empty',
  'refusal field': 'content_filter',
  'bare tool call': 'tool_call',
  'cut off by length': 'cut_off',
  'content filter': 'content_filter',
  'HTML page': 'no_summary',
} as const

test.each(Object.entries(LIKE_OVER_HTTP))('as a summariser: %s', async (name, reason) => {
  const model = scriptedModel(modelFailures[name as keyof typeof LIKE_OVER_HTTP])
  const summarizer = modelSummarizer(model, { maxRetries: 0, timeoutMs: name === 'hang' ? 100 : 10_000 })
  const content =
    'The forty crates of lemons sail to Porto on Friday, and Ann writes to the shipper. '.repeat(20)
  const message = { seq: 1, role: 'user', sender: null, content, at: new Date(), zone: null } as const
  const asked = summarizer.summarize({ messages: [message], earlier: null, budgetTokens: 300, zone: 'UTC' })
  const error = await asked.catch((thrown: unknown) => thrown)
  expect(SummarizerError.isInstance(error) && error.reason).toBe(reason)
})

test('as the summariser of a chat', async () => {
  const model = scriptedModel('{"summary": "On 2026-03-06 Ann shipped forty crates of lemons to Porto."}')
  await using palimpsest = await createPalimpsest({
    store: sqlite(':memory:'),
    policy: tokens({ budget: 4_000 }),
    summarizer: model,
    folding: 'manual',
  })
  const chat = palimpsest.session('lemons')
  for (let turn = 0; turn < 30; turn++) {
    await chat.append({ role: 'user', content: `Question ${turn} about the lemons. `.repeat(8) })
    await chat.append({ role: 'assistant', content: `Answer ${turn} about the lemons. `.repeat(8) })
  }
  expect(await chat.compact()).toMatchObject({ outcome: 'applied' })
  expect(model.requests.length).toBeGreaterThan(0)
  expect(model.requests[0]!.said.map(({ role }) => role)).toEqual(['system', 'user'])
  expect(JSON.stringify((await chat.context()).messages)).toContain('forty crates of lemons to Porto')
})
