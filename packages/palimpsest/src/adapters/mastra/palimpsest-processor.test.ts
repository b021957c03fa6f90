import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent } from '@mastra/core/agent'
import type { Processor } from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { findInRequests } from '../../../../../test/frameworks/check-requests.ts'
import { ANSWER, conversation, scriptedAssistant } from '../../../../../test/frameworks/scripted-assistant.ts'
import { sqlitePlace } from '../../../../../test/stores.ts'
import { createPalimpsest, type Message, type PalimpsestOptions, tokens } from '../../index.ts'
import { type ModelScript, type ModelServer, startModelServer } from '../../testing/index.ts'
import { type PalimpsestProcessorOptions, palimpsestProcessor } from './index.ts'

const INSTRUCTIONS = 'You are a helpful assistant in a shop.'
const BUDGET = 8_000
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

beforeAll(() => {
  process.env['MASTRA_OFFLINE'] = 'true'
  process.env['MASTRA_TELEMETRY_DISABLED'] = 'true'
  // Where Mastra tells of every error that a call ends with.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Of any version of the AI SDK; Mastra's types know one of them only. */
type ModelOf = (server: ModelServer) => object

const chatCompletions: ModelOf = ({ url }) =>
  createOpenAICompatible({ name: 'loopback', baseURL: url, includeUsage: true })('scripted')

async function start(reply: ModelScript, options: Partial<PalimpsestOptions> = {}) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  cleanups.push(
    () => server.close(),
    () => place.remove(),
  )
  const open = async () => {
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: tokens({ budget: BUDGET }),
      ...options,
    })
    cleanups.push(() => palimpsest.close())
    return palimpsest
  }
  const palimpsest = await open()
  return { server, palimpsest, open, chat: palimpsest.session('chat'), agent: agentFor(palimpsest, server) }
}

interface AgentOptions extends PalimpsestProcessorOptions {
  readonly modelOf?: ModelOf
  readonly before?: readonly Processor[]
  readonly lookUp?: (id: string) => Promise<unknown>
  readonly forModel?: (found: { id: string }) => unknown
}

function agentFor(
  palimpsest: Awaited<ReturnType<typeof createPalimpsest>>,
  server: ModelServer,
  { modelOf = chatCompletions, before = [], lookUp, forModel, ...options }: AgentOptions = {},
): Agent {
  const memory = palimpsestProcessor(palimpsest, options)
  return new Agent({
    id: 'shop',
    name: 'shop',
    instructions: INSTRUCTIONS,
    model: modelOf(server) as never,
    tools: {
      look_up_order: createTool({
        id: 'look_up_order',
        description: 'Where an order is.',
        inputSchema: z.object({ id: z.string() }),
        execute: async ({ id }) => lookUp?.(id) ?? { id, status: 'shipped', carrier: 'PostNL' },
        ...(forModel && { toModelOutput: forModel as never }),
      }),
    },
    inputProcessors: [...before, memory] as never,
    outputProcessors: [...before, memory] as never,
    errorProcessors: [memory],
  })
}

const IN_CHAT = { memory: { thread: 'chat', resource: 'ann' } }

/** Roles, and the words, calls and results in them. */
function outline(messages: readonly Message[]) {
  return messages.map(({ role, content }) => {
    if (typeof content === 'string') return [role, content]
    return [
      role,
      ...content.map(part => {
        if (part.type === 'text') return part.interrupted ? `${part.text} (${part.interrupted})` : part.text
        if (part.type === 'tool-call') return `call ${part.toolName} ${JSON.stringify(part.input)}`
        if (part.type === 'tool-result') return `result ${JSON.stringify(part.output)}`
        return part.type
      }),
    ]
  })
}

const callOf = (id: string) => ({ toolCalls: [{ name: 'look_up_order', arguments: { id } }] })

test('what is said is stored once, each step by itself, with its calls and their results', async () => {
  const { agent, chat, server } = await start(scriptedAssistant)
  const result = await agent.generate('Where is order B-7?', IN_CHAT)
  expect(result.text).toContain('It was shipped with PostNL.')
  expect(outline(await chat.messages())).toEqual([
    ['user', 'Where is order B-7?'],
    ['assistant', 'One moment.', 'call look_up_order {"id":"B-7"}'],
    ['tool', 'result {"id":"B-7","status":"shipped","carrier":"PostNL"}'],
    ['assistant', 'It was shipped with PostNL.'],
  ])
  expect(await chat.info()).toMatchObject({ kind: 'private', user: 'ann', turns: 1 })
  expect(server.requests[0]!.tools.map(({ name }) => name)).toEqual([
    'write_user_memory',
    'write_chat_memory',
    'query_history',
    'expand_history',
    'look_up_order',
  ])
})

const PROVIDERS: Record<string, ModelOf> = {
  'chat completions': chatCompletions,
  "Mastra's own configuration": ({ url }) => ({ id: 'loopback/scripted', url, apiKey: 'none' }),
  'OpenAI Responses': ({ url }) => createOpenAI({ baseURL: url, apiKey: 'none' })('gpt-5-mini'),
  'Anthropic Messages': ({ url }) => createAnthropic({ baseURL: url, apiKey: 'none' })('claude-haiku-4-5'),
}

describe.each(Object.entries(PROVIDERS))('%s', (name, modelOf) => {
  test('sixty turns through folds and a restart: valid, within the window, and the prefix grows', async () => {
    const { server, palimpsest: first, open } = await start(scriptedAssistant)
    let palimpsest = first
    let agent = agentFor(palimpsest, server, { modelOf })
    let text = ''
    for (const [index, content] of conversation(60).entries()) {
      if (index === 30) {
        await palimpsest.close()
        palimpsest = await open()
        agent = agentFor(palimpsest, server, { modelOf })
      }
      const isStream = index % 2 === 0
      const result = isStream ? await agent.stream(content, IN_CHAT) : await agent.generate(content, IN_CHAT)
      text = await result.text
      await palimpsest.settled()
    }
    expect(text).toContain(ANSWER)
    const found = findInRequests(server.requests)
    expect(found).toMatchObject({ invalid: [], brokenPrefixes: [] })
    expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
    expect(found.beginnings).toBeGreaterThan(2)
    expect(found.beginnings).toBeLessThan(12)
    const isAnthropic = name === 'Anthropic Messages'
    expect(found.marked).toBe(isAnthropic ? server.requests.length : 0)
    expect(found.mostMarks).toBeLessThanOrEqual(4)
    const chat = palimpsest.session('chat')
    const messages = await chat.messages({ limit: 1_000 })
    const asked = messages.filter(({ role }) => role === 'user')
    expect(asked.map(({ content }) => outline([{ content } as Message])[0]![1])).toEqual(conversation(60))
    // Each request was answered by one message, and every call has its result.
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(server.requests.length)
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(server.requests.length - 60)
  })
})

test('in a long loop of tool calls every request is valid, within the window, and has what was asked', async () => {
  const { chat, server, palimpsest } = await start((request, index) =>
    index < 30 ? callOf(`B-${index}`) : { text: `Done after ${request.said.length}.` },
  )
  const agent = agentFor(palimpsest, server, {
    lookUp: async id => ({ id, notes: `It rained in the harbour of ${id}. `.repeat(60) }),
  })
  const asked = 'Look all of them up, and mind the Turkish delight 😀 你好.'
  await agent.generate(asked, { ...IN_CHAT, maxSteps: 40 })
  expect(server.requests).toHaveLength(31)
  const found = findInRequests(server.requests)
  expect(found.invalid).toEqual([])
  expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
  // Faster than any fold: old results make room, in few large steps.
  expect(found.brokenPrefixes.length).toBeLessThan(8)
  for (const { said } of server.requests) expect(said).toContainEqual({ role: 'user', text: asked })
  expect(await chat.count()).toBe(1 + 31 + 30)
  expect(outline(await chat.messages({ from: 'newest', limit: 2 }))[0]![1]).toContain('B-29')
})

test('a tool that throws and a tool that is given nonsense: the model is told', async () => {
  const replies = [callOf('B-1'), { toolCalls: [{ name: 'look_up_order', arguments: { no: 1 } }] }, 'Sorry.']
  const { chat, server, palimpsest } = await start((_, index) => replies[index]!)
  const agent = agentFor(palimpsest, server, { lookUp: () => Promise.reject(new Error('no such table')) })
  await agent.generate('Where is it?', IN_CHAT)
  const messages = outline(await chat.messages())
  expect(messages.map(([role]) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ])
  expect(messages[2]![1]).toContain('no such table')
  expect(messages[4]![1]).toContain('validation failed')
  expect(server.requests.at(-1)!.said.filter(({ role }) => role === 'tool')[0]!.text).toContain(
    'no such table',
  )
  expect(findInRequests(server.requests)).toMatchObject({ invalid: [], brokenPrefixes: [] })
})

test('the model writes memory, and reads in a later turn what was folded', async () => {
  const { agent, server, palimpsest } = await start((_, index) =>
    index === 0
      ? { toolCalls: [{ name: 'write_user_memory', arguments: { content: 'Ann likes lemons.' } }] }
      : 'Noted.',
  )
  await agent.generate('I like lemons.', IN_CHAT)
  expect(await palimpsest.memory.user('ann').read()).toMatchObject({
    content: expect.stringContaining('Ann likes lemons.'),
  })
  expect(server.requests[1]!.said.at(-1)).toMatchObject({
    role: 'tool',
    text: expect.stringContaining('Noted'),
  })
})

test('conversations at the same time stay apart', async () => {
  const { agent, palimpsest, server } = await start(scriptedAssistant)
  const threads = ['one', 'two', 'three', 'four']
  await Promise.all(
    threads.map(async thread => {
      for (let turn = 1; turn <= 6; turn++)
        await agent.generate(
          `I am ${thread}, turn ${turn}: where is order ${thread[0]!.toUpperCase()}-${turn}?`,
          {
            memory: { thread, resource: `user-${thread}` },
          },
        )
    }),
  )
  for (const thread of threads) {
    const chat = palimpsest.session(thread)
    const said = JSON.stringify(outline(await chat.messages()))
    for (const other of threads) expect(said.includes(`I am ${other}`)).toBe(other === thread)
    expect(await chat.count()).toBe(24)
    expect((await chat.info())!.user).toBe(`user-${thread}`)
  }
  for (const { said } of server.requests) {
    const about = new Set(said.flatMap(({ text }) => /I am (\w+)/.exec(text)?.[1] ?? []))
    expect(about.size).toBe(1)
  }
})

test('a call that a process did not live to finish: the next one goes on from what was stored', async () => {
  const { server, palimpsest, open, chat } = await start((_, index) =>
    index === 0 ? callOf('B-1') : 'I am back.',
  )
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const dying = agentFor(palimpsest, server, {
    lookUp: () => {
      resolve()
      return new Promise(() => {})
    },
  })
  dying.generate('Where is B-1?', IN_CHAT).catch(() => {})
  await begun
  expect(outline(await chat.messages())).toEqual([
    ['user', 'Where is B-1?'],
    ['assistant', 'call look_up_order {"id":"B-1"}'],
  ])
  await palimpsest.close()
  const again = await open()
  await agentFor(again, server).generate('Are you there?', IN_CHAT)
  expect(server.requests.at(-1)!.said.map(({ role, text }) => [role, text])).toEqual([
    ['system', expect.stringContaining(INSTRUCTIONS)],
    ['user', 'Where is B-1?'],
    ['assistant', ''],
    ['tool', '(no result: the call was interrupted)'],
    ['user', 'Are you there?'],
  ])
  expect(findInRequests(server.requests).invalid).toEqual([])
})

describe('what breaks off', () => {
  test('is stored as far as it came: stopped by somebody', async () => {
    const { agent, chat, server } = await start((_, index) =>
      index === 0 ? callOf('B-1') : { text: 'It was shipped in the night. '.repeat(30), fault: 'stall' },
    )
    const controller = new AbortController()
    const stream = await agent.stream('Where is B-1?', { ...IN_CHAT, abortSignal: controller.signal })
    let heard = ''
    for await (const text of stream.textStream) {
      heard += text
      controller.abort()
    }
    const messages = outline(await chat.messages())
    expect(messages).toHaveLength(4)
    expect(messages[3]![1]).toMatch(/^It was shipped .*\(aborted\)$/s)
    expect(messages[3]![1]).toContain(heard)
    server.setReply('Where were we?')
    await agent.generate('Go on.', IN_CHAT)
    expect(findInRequests(server.requests).invalid).toEqual([])
    expect(server.requests.at(-1)!.said.some(({ text }) => text.includes('[interrupted]'))).toBe(true)
  })

  test('is stored as far as it came: by an error', async () => {
    const { agent, chat, server } = await start({
      text: 'Your parcel is in the harbour. '.repeat(30),
      fault: 'cut_off',
    })
    const stream = await agent.stream('Where is it?', { ...IN_CHAT, modelSettings: { maxRetries: 0 } })
    await stream.consumeStream()
    const messages = outline(await chat.messages())
    expect(messages).toHaveLength(2)
    expect(messages[1]![1]).toMatch(/^Your parcel .*\(failed\)$/s)
    server.setReply('It is there.')
    await agent.generate('And now?', IN_CHAT)
    expect(findInRequests(server.requests).invalid).toEqual([])
  })

  test('before a word: what was asked is kept', async () => {
    const { agent, chat } = await start({ error: { kind: 'unauthorized' } })
    await expect(agent.generate('Hello?', IN_CHAT)).rejects.toThrow()
    expect(outline(await chat.messages())).toEqual([['user', 'Hello?']])
  })
})

test('a provider with less room than we thought is sent less, once', async () => {
  const small = 2_500
  const script: ModelScript = request =>
    JSON.stringify(request.body.messages).length / 4 > small
      ? { error: { kind: 'overflow' } }
      : scriptedAssistant(request)
  const { agent, chat, server, palimpsest } = await start(script, { policy: tokens({ budget: 4_000 }) })
  const turns = conversation(30).slice(0, 29)
  for (const content of turns) await agent.generate(content, IN_CHAT)
  const refused = server.requests.filter(({ body }) => JSON.stringify(body.messages).length / 4 > small)
  expect(refused.length).toBeGreaterThan(0)
  expect(
    await chat.messages({ limit: 1_000 }).then(all => all.filter(({ role }) => role === 'user').length),
  ).toBe(29)
  expect(findInRequests(server.requests).invalid).toEqual([])
  await palimpsest.settled()

  server.setReply({ error: { kind: 'overflow' } })
  const before = server.requests.length
  await expect(agent.generate('Too long?', IN_CHAT)).rejects.toThrow()
  expect(server.requests.length - before).toBe(2)
})

test('what a client sends back is known by its ids', async () => {
  const { agent, chat } = await start(scriptedAssistant)
  const first = {
    id: 'client-1',
    role: 'user' as const,
    parts: [{ type: 'text' as const, text: 'Where is order B-7?' }],
  }
  const result = await agent.generate([first], IN_CHAT)
  expect(await chat.count()).toBe(4)
  const [reply] = result.response.uiMessages!
  const second = { ...first, id: 'client-2', parts: [{ type: 'text' as const, text: 'Thank you! 谢谢' }] }
  await agent.generate([first, reply!, second], IN_CHAT)
  expect(outline(await chat.messages()).map(([role]) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
  ])
})

test('the result of a tool that runs at the client', async () => {
  const { chat, server, palimpsest } = await start((_, index) =>
    index === 0 ? { toolCalls: [{ name: 'ask_browser', arguments: {} }] } : 'You are in Delft.',
  )
  const agent = agentFor(palimpsest, server)
  const ask_browser = { description: 'Where the person is.', parameters: { type: 'object', properties: {} } }
  const options = { ...IN_CHAT, clientTools: { ask_browser } as never }
  const first = await agent.generate('Where am I?', options)
  const [reply] = first.response.uiMessages!
  const parts = reply!.parts.map(part =>
    part.type === 'tool-ask_browser' ? { ...part, state: 'output-available', output: 'Delft' } : part,
  )
  await agent.generate([{ ...reply!, parts }] as never, options)
  expect(outline(await chat.messages())).toEqual([
    ['user', 'Where am I?'],
    ['assistant', 'call ask_browser {}'],
    ['tool', 'result "Delft"'],
    ['assistant', 'You are in Delft.'],
  ])
  expect(findInRequests(server.requests)).toMatchObject({ invalid: [], brokenPrefixes: [] })
})

test('pictures and files', async () => {
  const { agent, chat, server } = await start('I see.')
  const pictures = createServer((_, outgoing) =>
    outgoing.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(PICTURE, 'base64')),
  )
  await new Promise<void>(resolve => pictures.listen(0, '127.0.0.1', resolve))
  cleanups.push(async () => pictures.close())
  const url = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/cat.png`
  const content = [
    { type: 'text', text: 'Look!' },
    { type: 'image', image: PICTURE, mediaType: 'image/png' },
    { type: 'image', image: url, mediaType: 'image/png' },
    { type: 'file', data: 'JVBERi0x', mediaType: 'application/pdf', filename: 'bill.pdf' },
  ]
  await agent.generate([{ role: 'user', content }] as never, IN_CHAT)
  await agent.generate('And?', IN_CHAT)
  expect(outline(await chat.messages())[0]).toEqual(['user', 'Look!', 'image', 'image', 'file'])
  expect(server.requests[1]!.body.messages![1]!.content).toEqual([
    { type: 'text', text: 'Look!' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
    { type: 'image_url', image_url: { url } },
    { type: 'file', file: { filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' } },
  ])
  expect(findInRequests(server.requests).brokenPrefixes).toEqual([])
})

test('what the processors before it make of a message is what is kept and sent', async () => {
  const redact: Processor = {
    id: 'redact',
    processInput: ({ messages }) =>
      messages.map(message => {
        const parts = message.content.parts.map(part =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll('4711', '****') } : part,
        )
        return { ...message, content: { ...message.content, parts } }
      }),
  }
  const { chat, server, palimpsest } = await start('Fine.')
  await agentFor(palimpsest, server, { before: [redact] }).generate('My code is 4711.', IN_CHAT)
  expect(outline(await chat.messages())[0]).toEqual(['user', 'My code is ****.'])
  expect(JSON.stringify(server.requests)).not.toContain('4711')
})

test('a message that a processor refuses is not stored', async () => {
  const refuse: Processor = { id: 'refuse', processInput: ({ abort }) => abort('no') }
  const { chat, server, palimpsest } = await start('Fine.')
  const result = await agentFor(palimpsest, server, { before: [refuse] }).generate('Bad words.', IN_CHAT)
  expect(result.tripwire?.reason).toBe('no')
  expect(await chat.info()).toBeNull()
})

test('the session may be chosen by the caller; without a thread the error says what to do', async () => {
  const { agent, server, palimpsest } = await start('Hello.')
  await expect(agent.generate('Hello?')).rejects.toThrow('memory: { thread, resource }')
  expect(server.requests).toEqual([])
  const group = palimpsest.session('group:7', { kind: 'group' })
  const chosen = agentFor(palimpsest, server, { session: () => group, memoryTools: false })
  await chosen.generate('Hello?')
  expect(await group.count()).toBe(2)
  expect(server.requests[0]!.tools.map(({ name }) => name)).toEqual(['look_up_order'])
})

test("instructions, the call's own and what other processors say stand before the conversation", async () => {
  const { agent, server } = await start('Hello.')
  await agent.generate('Hello?', { ...IN_CHAT, system: 'Answer in one word.' })
  const [{ role, text } = { role: '', text: '' }] = server.requests[0]!.said
  expect(role).toBe('system')
  expect(text).toMatch(/^You are a helpful assistant in a shop\.\n\nAnswer in one word\./)
})

test('what a provider counts calibrates the tokens', async () => {
  const script: ModelScript = request => ({
    text: 'Yes.',
    usage: { input: Math.ceil(JSON.stringify(request.body).length / 3), output: 2 },
  })
  const { agent, chat, palimpsest } = await start(script, { policy: tokens({ budget: 4_000 }) })
  for (const content of conversation(25)) await agent.generate(content, IN_CHAT)
  await palimpsest.settled()
  const plain = await chat.context()
  const counted = await chat.context({ model: 'loopback.chat:scripted' })
  expect(plain.report.epoch).toBeGreaterThan(0)
  expect(counted.report.tokens / counted.estimatedInputTokens).toBeGreaterThan(1.1)
})

test('what is given beside the conversation is sent and not stored', async () => {
  const { agent, chat, server } = await start('Hello.')
  await agent.generate('Hello?', {
    ...IN_CHAT,
    context: [{ role: 'user', content: 'The shop closes at five.' }],
  })
  expect(server.requests[0]!.said[0]!.text).toContain(`${INSTRUCTIONS}\n\nThe shop closes at five.`)
  expect(outline(await chat.messages())[0]).toEqual(['user', 'Hello?'])
})

test('two calls in one conversation at the same time: nothing is lost, and every request is valid', async () => {
  const { agent, chat, server } = await start(scriptedAssistant)
  await Promise.all(
    Array.from({ length: 6 }, (_, index) => agent.generate(`Where is order A-${index}?`, IN_CHAT)),
  )
  expect(await chat.count()).toBe(24)
  expect(findInRequests(server.requests).invalid).toEqual([])
})

test('words of any kind', async () => {
  const { agent, chat, server } = await start(
    request => `You said: ${request.said.at(-1)!.text.slice(0, 40)}`,
  )
  const said = [
    ' ',
    'a\r\nb',
    'half \ud83d of one',
    '你好，😀',
    'lemons '.repeat(60_000),
    '</session_memory> x',
  ]
  for (const text of said) await agent.generate(text, IN_CHAT)
  expect(await chat.count()).toBe(2 * said.length)
  const found = findInRequests(server.requests)
  expect(found).toMatchObject({ invalid: [], brokenPrefixes: [] })
  expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
})

test('a long history that comes with the first call', async () => {
  const { agent, chat, server, palimpsest } = await start('I have read it.')
  const history = Array.from({ length: 2_001 }, (_, index) => ({
    id: `m-${index}`,
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `Message ${index} of a long history.`,
  }))
  await agent.generate(history, IN_CHAT)
  expect(await chat.count()).toBe(2_002)
  await palimpsest.settled()
  await agent.generate([...history, { id: 'm-x', role: 'user', content: 'And?' }], IN_CHAT)
  expect(await chat.count()).toBe(2_004)
  expect(findInRequests(server.requests).mostTokens).toBeLessThanOrEqual(BUDGET)
})

test('an answer in the shape of a schema', async () => {
  const { agent, chat } = await start('{"status":"shipped"}')
  const { object } = await agent.generate('Where is it?', {
    ...IN_CHAT,
    structuredOutput: { schema: z.object({ status: z.string() }) },
  })
  expect(object).toEqual({ status: 'shipped' })
  expect(outline(await chat.messages())[1]).toEqual(['assistant', '{"status":"shipped"}'])
})

test('what a tool wants the model to see of its result', async () => {
  const { chat, server, palimpsest } = await start((_, index) => (index === 0 ? callOf('B-1') : 'Fine.'))
  const agent = agentFor(palimpsest, server, {
    forModel: ({ id }) => ({ type: 'text', value: `Order ${id} is fine.` }),
  })
  await agent.generate('Where is it?', IN_CHAT)
  expect(server.requests[1]!.said.at(-1)!.text).toBe('Order B-1 is fine.')
  expect(JSON.stringify(await chat.messages())).not.toContain('PostNL')
})

test('results and replies that a processor before it redacts', async () => {
  const redact: Processor = {
    id: 'redact',
    processToolResult: ({ messageList, toolCallId, toolName, args }) => {
      const toolInvocation = { state: 'result', toolCallId, toolName, args, result: 'hidden' } as never
      messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation })
      return messageList
    },
    processOutputStep: ({ messages }) =>
      messages.map(message => {
        const parts = message.content.parts.map(part =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll('4711', '****') } : part,
        )
        return { ...message, content: { ...message.content, parts } }
      }),
  }
  const { chat, server, palimpsest } = await start((_, index) =>
    index === 0 ? callOf('B-1') : 'It is 4711.',
  )
  await agentFor(palimpsest, server, { before: [redact] }).generate('What is my code?', IN_CHAT)
  expect(outline(await chat.messages()).slice(2)).toEqual([
    ['tool', 'result "hidden"'],
    ['assistant', 'It is ****.'],
  ])
})

test('a reply that a processor before it sends back is not stored, the next one is', async () => {
  const refuse: Processor = {
    id: 'refuse',
    processOutputStep: ({ text, abort, messageList }) =>
      text === 'Rude.' ? abort('Be polite', { retry: true }) : messageList,
  }
  const { chat, server, palimpsest } = await start((_, index) => ['Rude.', 'Good day.'][index]!)
  await agentFor(palimpsest, server, { before: [refuse] }).generate('Hello?', {
    ...IN_CHAT,
    maxProcessorRetries: 2,
  })
  expect(outline(await chat.messages())).toEqual([
    ['user', 'Hello?'],
    ['assistant', 'Good day.'],
  ])
  expect(server.requests[1]!.said[0]!.text).toContain('Be polite')
})

test('thoughts go back to the provider that signed them', async () => {
  const { chat, server, palimpsest } = await start((_, index) =>
    index === 0 ? { reasoning: 'I should look it up.', ...callOf('B-1') } : 'It was shipped.',
  )
  const agent = agentFor(palimpsest, server, { modelOf: PROVIDERS['Anthropic Messages']! })
  await agent.generate('Where is it?', {
    ...IN_CHAT,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } },
  })
  expect((await chat.messages())[1]!.content).toMatchObject([
    { type: 'reasoning', text: 'I should look it up.' },
    { type: 'tool-call' },
  ])
  expect(server.requests[1]!.body.messages![1]!.content).toMatchObject([
    { type: 'thinking', thinking: 'I should look it up.', signature: expect.any(String) },
    { type: 'tool_use' },
  ])
  expect(findInRequests(server.requests)).toMatchObject({ invalid: [], brokenPrefixes: [] })
})

test('a call that outlives an erasure stores nothing', async () => {
  const { server, palimpsest, agent } = await start('')
  server.setReply(async () => {
    await palimpsest.forget({ kind: 'person', id: 'ann' })
    return 'You said zebra-5c1d77.'
  })
  const memory = { thread: 'chat', resource: 'ann' }
  await agent.generate('What is zebra-5c1d77?', { memory }).catch(() => {})
  expect(await palimpsest.sessions()).toEqual([])
})

describe('four calls at once in one thread', () => {
  const numbers = [1, 2, 3, 4] as const
  const question = (number: number) => `Question ${number}?`

  test('each is for its own question, and each answer points to it', async () => {
    const { server, chat, agent } = await start(({ said }) => `Answer to ${said.at(-1)!.text}`)
    const answers = await Promise.all(
      numbers.map(async number => (await agent.generate(question(number), IN_CHAT)).text),
    )
    expect(answers).toEqual(numbers.map(number => `Answer to ${question(number)}`))
    expect(server.requests.map(({ said }) => said.at(-1)!.text).sort()).toEqual(numbers.map(question))
    const messages = await chat.messages()
    const replies = messages.filter(({ role }) => role === 'assistant')
    expect(replies).toHaveLength(4)
    for (const { replyTo, content } of replies) {
      const asked = messages.find(({ seq }) => seq === replyTo)!
      expect(outline([{ ...asked, content }])[0]![1]).toBe(`Answer to ${outline([asked])[0]![1]}`)
    }
  })

  test('a loop of tool calls keeps its question while others are answered', async () => {
    const { server, palimpsest } = await start(({ said }) => {
      if (said.at(-1)!.role === 'tool') return 'It was shipped.'
      return said.at(-1)!.text === question(1)
        ? { toolCalls: [{ name: 'look_up_order', arguments: { id: 'B-7' } }] }
        : `Answer to ${said.at(-1)!.text}`
    })
    const other = agentFor(palimpsest, server)
    const agent = agentFor(palimpsest, server, {
      lookUp: async id => {
        await other.generate(question(2), IN_CHAT)
        return { id }
      },
    })
    const { text } = await agent.generate(question(1), IN_CHAT)
    expect(text).toBe('It was shipped.')
    const last = server.requests.at(-1)!.said
    expect(last.map(({ role }) => role).slice(-3)).toEqual(['user', 'assistant', 'tool'])
    expect(last.at(-3)!.text).toBe(question(1))
    expect(JSON.stringify(last)).not.toContain('Question 2')
  })
})
