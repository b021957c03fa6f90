import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, RemoveMessage } from '@langchain/core/messages'
import type { ClientTool } from '@langchain/core/tools'
import { Command, MemorySaver, REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  HumanMessage,
  humanInTheLoopMiddleware,
  tool,
  toolStrategy,
} from 'langchain'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findInRequests } from '../../../../../test/frameworks/check-requests.ts'
import { ANSWER, conversation, scriptedAssistant } from '../../../../../test/frameworks/scripted-assistant.ts'
import { sqlitePlace } from '../../../../../test/stores.ts'
import {
  createPalimpsest,
  type Message,
  type Palimpsest,
  PalimpsestError,
  type PalimpsestOptions,
  tokens,
} from '../../index.ts'
import {
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../testing/index.ts'
import { type PalimpsestMiddlewareOptions, palimpsestMiddleware } from './index.ts'

const BUDGET = 8_000
const SYSTEM = 'You are a helpful assistant in a shop.'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(reply: ModelScript, options: Partial<PalimpsestOptions> = {}) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const open = async () => {
    const store = await place.open()
    const palimpsest = await createPalimpsest({ store, policy: tokens({ budget: BUDGET }), ...options })
    cleanups.push(() => palimpsest.close())
    return palimpsest
  }
  cleanups.push(
    () => server.close(),
    () => place.remove(),
  )
  return { server, open, palimpsest: await open() }
}

const lookUpOrder = tool(({ id }) => ({ id, status: 'shipped', carrier: 'PostNL' }), {
  name: 'look_up_order',
  description: 'Where an order is.',
  schema: z.object({ id: z.string() }),
})

interface Settings {
  readonly tools?: ClientTool[]
  readonly checkpointer?: MemorySaver | undefined
  readonly options?: PalimpsestMiddlewareOptions
  /** After ours: within it. */
  readonly others?: readonly AgentMiddleware[]
  readonly responses?: boolean
}

function agentOn(server: ModelServer, palimpsest: Palimpsest, settings: Settings = {}) {
  const { tools = [lookUpOrder], checkpointer, others = [], responses = false } = settings
  const { options = { sessionOptions: { user: 'ann' } } } = settings
  const model = new ChatOpenAI({
    model: 'gpt-4o-mini',
    apiKey: 'none',
    maxRetries: 0,
    useResponsesApi: responses,
    configuration: { baseURL: server.url },
  })
  const middleware = [palimpsestMiddleware(palimpsest, options), ...others]
  return createAgent({
    model,
    tools,
    systemPrompt: SYSTEM,
    middleware,
    ...(checkpointer && { checkpointer }),
  })
}

function thread(thread_id: string) {
  return { configurable: { thread_id } }
}

function say(content: string) {
  return { messages: [{ role: 'user' as const, content }] }
}

/** LangChain says "no text" beside calls with an empty one, which is taken, where the format has `null`. */
function asInTheFormat(requests: readonly ModelRequest[]): ModelRequest[] {
  return requests.map(request => {
    const messages = request.body.messages?.map(message =>
      'tool_calls' in message && message.content === '' ? { ...message, content: null } : message,
    )
    return { ...request, body: { ...request.body, ...(messages && { messages }) } }
  })
}

describe.each([
  ['without a checkpointer', false, false],
  ['with a checkpointer', true, false],
  ['without a checkpointer, by OpenAI Responses', false, true],
])('sixty turns %s', (_, isKept, responses) => {
  test('through folds and a restart: all is stored once, each request is valid, and the prefix grows', async () => {
    const { server, palimpsest, open } = await start(scriptedAssistant)
    const checkpointer = isKept ? new MemorySaver() : undefined
    let current = palimpsest
    let agent = agentOn(server, current, { checkpointer, responses })
    let answer = ''
    let inState = 0
    for (const [index, content] of conversation(60).entries()) {
      if (index === 30) {
        await current.close()
        current = await open()
        agent = agentOn(server, current, { checkpointer, responses })
      }
      const { messages } = await agent.invoke(say(content), thread('chat'))
      answer = messages.at(-1)!.text
      inState = messages.length
      await current.settled()
    }
    expect(answer).toBe(ANSWER)
    const found = findInRequests(asInTheFormat(server.requests))
    expect(found).toMatchObject({ invalid: [], brokenPrefixes: [], marked: 0 })
    expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
    expect(found.beginnings).toBeGreaterThan(2)
    expect(found.beginnings).toBeLessThan(12)
    const chat = current.session('chat')
    const info = (await chat.info())!
    // The calls for orders, and one more where the context did not tell of the first turn.
    expect([158, 160]).toContain(info.messages)
    expect(info).toMatchObject({ turns: 60, kind: 'private', user: 'ann' })
    if (isKept) expect(inState).toBe(info.messages)
    else expect(inState).toBeLessThan(5)
  })
})

test('an answer is stored with its tool calls, their results and thoughts, and the state is as always', async () => {
  const { server, palimpsest } = await start(request =>
    request.said.at(-1)!.role === 'tool'
      ? 'It was shipped.'
      : {
          reasoning: 'I have to look.',
          toolCalls: [
            { name: 'look_up_order', arguments: { id: 'B-7' }, id: 'one' },
            { name: 'look_up_order', arguments: '{"id":', id: 'two' },
          ],
        },
  )
  const agent = agentOn(server, palimpsest)
  const { messages } = await agent.invoke(say('Where is order B-7?'), thread('chat'))
  expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai'])
  const logged = await palimpsest.session('chat').messages()
  expect(logged.map(({ externalId }) => externalId)).toEqual(messages.map(({ id }) => `langchain:${id}`))
  expect(logged.map(({ role, content }) => ({ role, content }))).toEqual([
    { role: 'user', content: 'Where is order B-7?' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'I have to look.' },
        { type: 'tool-call', toolCallId: 'one', toolName: 'look_up_order', input: { id: 'B-7' } },
        { type: 'tool-call', toolCallId: 'two', toolName: 'look_up_order', input: '{"id":' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'one',
          toolName: 'look_up_order',
          output: '{"id":"B-7","status":"shipped","carrier":"PostNL"}',
        },
      ],
    },
    { role: 'assistant', content: 'It was shipped.' },
  ])
  expect(findInRequests(asInTheFormat(server.requests))).toMatchObject({ invalid: [] })
})

test.each([['messages'], ['updates'], ['values']] as const)(
  'a run that is streamed by %s',
  async streamMode => {
    const { server, palimpsest } = await start(scriptedAssistant)
    const agent = agentOn(server, palimpsest)
    let pieces = 0
    const stream = await agent.stream(say('Where is order B-7?'), { ...thread('chat'), streamMode })
    for await (const _ of stream) pieces++
    expect(pieces).toBeGreaterThan(2)
    expect(server.requests.map(({ body }) => body.stream)).toEqual(Array(2).fill(streamMode === 'messages'))
    const logged = await palimpsest.session('chat').messages()
    expect(logged.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(logged[1]!.content).toMatchObject([
      { type: 'text', text: 'One moment.' },
      { type: 'tool-call', toolName: 'look_up_order', input: { id: 'B-7' } },
    ])
    expect(logged[3]!.content).toBe('It was shipped with PostNL.')
  },
)

test('threads at the same time are never mixed', async () => {
  const { server, palimpsest } = await start(({ said }) => `I heard: ${said.at(-1)!.text}`)
  const agent = agentOn(server, palimpsest, { checkpointer: new MemorySaver() })
  const names = ['ann', 'ben', 'cleo', 'dan']
  await Promise.all(
    names.map(async name => {
      for (let turn = 1; turn <= 8; turn++)
        await agent.invoke(say(`${name} says ${turn}. ${'And so on. '.repeat(60)}`), thread(name))
    }),
  )
  for (const { said } of server.requests) {
    const speakers = new Set(said.flatMap(({ text }) => names.filter(name => text.includes(`${name} says`))))
    expect(speakers.size).toBe(1)
  }
  for (const name of names) {
    const logged = await palimpsest.session(name).messages()
    expect(logged).toHaveLength(16)
    expect(logged.every(({ content }) => String(content).includes(`${name} says`))).toBe(true)
  }
})

test('a loop of tool calls that outgrows the window stays within it, and the question stays in view', async () => {
  const report = tool(
    ({ page }) => `Page ${page}: ${'the harbour was quiet and the sea was calm. '.repeat(40)}`,
    {
      name: 'read_page',
      description: 'Reads a page of the report.',
      schema: z.object({ page: z.number() }),
    },
  )
  const { server, palimpsest } = await start((_, index) =>
    index < 40
      ? { toolCalls: [{ name: 'read_page', arguments: { page: index + 1 } }] }
      : 'I have read it all.',
  )
  const agent = agentOn(server, palimpsest, { tools: [report] })
  const question = 'Which pages of the report speak of lemons? My word is lemon-4711.'
  const { messages } = await agent.invoke(say(question), { ...thread('chat'), recursionLimit: 200 })
  expect(messages.at(-1)!.text).toBe('I have read it all.')
  const found = findInRequests(asInTheFormat(server.requests))
  expect(found.invalid).toEqual([])
  expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
  for (const { said } of server.requests)
    expect(said.some(({ role, text }) => role === 'user' && text === question)).toBe(true)
  expect(await palimpsest.session('chat').count()).toBe(82)
})

test('older messages that may answer the question are put before it, if wanted', async () => {
  const { server, palimpsest } = await start('Noted.')
  const agent = agentOn(server, palimpsest, { options: { recall: true } })
  // Too much for a summary to tell it word for word: then it would not be recalled.
  const aside = 'and my aunt lives by the river with her two dogs, '.repeat(20)
  await agent.invoke(say(`My code word is lemon-4711, ${aside} as you know.`), thread('chat'))
  const chat = palimpsest.session('chat')
  for (let turn = 0; turn < 12; turn++)
    await agent.invoke(say(`${turn}: ${'We talked about it over tea. '.repeat(60)}`), thread('chat'))
  await chat.compact({ force: true })
  await agent.invoke(say('What was my code word?'), thread('chat'))
  const { said } = server.requests.at(-1)!
  expect(said.at(-2)!.text).toMatch(/^<recall.*lemon-4711/s)
  expect(findInRequests(server.requests).invalid).toEqual([])
})

test('what the provider counts is learned from', async () => {
  const { server, palimpsest } = await start(({ said, tools }) => ({
    text: 'Noted.',
    usage: { input: JSON.stringify([said, tools]).length / 2, output: 5 },
  }))
  const agent = agentOn(server, palimpsest)
  for (let turn = 0; turn < 6; turn++)
    await agent.invoke(say(`${turn}: ${'We talked about it over tea. '.repeat(20)}`), thread('chat'))
  const chat = palimpsest.session('chat')
  await chat.compact({ force: true })
  const { report } = await chat.context()
  const { report: counted } = await chat.context({ model: 'gpt-4o-mini' })
  expect(counted.tokens).toBeGreaterThan(report.tokens * 1.2)
})

function texts(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) => {
    const text =
      typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : part.type))
    return `${role}: ${text}`
  })
}

/** LangChain wraps what a middleware throws. */
async function failureOf(run: Promise<unknown>): Promise<PalimpsestError> {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown as Error,
  )
  expect(PalimpsestError.isInstance(error?.cause)).toBe(true)
  return error!.cause as PalimpsestError
}

describe('which session', () => {
  test('without a thread id the error says what to do', async () => {
    const { server, palimpsest } = await start('Hello.')
    const agent = agentOn(server, palimpsest)
    const error = await failureOf(agent.invoke(say('Hello')))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toMatch(
      /configurable\.thread_id: nothing is given.*thread_id: 'chat-42'.*session: runtime =>/,
    )
    expect(server.requests).toHaveLength(0)
  })

  test('it can be named by the run, also for the tools and at the end of a run', async () => {
    const { server, palimpsest } = await start(({ said }) => {
      const asked = said.at(-1)!.text
      if (asked.includes('code')) return { toolCalls: [{ name: 'show_code', arguments: {} }] }
      if (said.at(-1)!.role === 'tool') return 'Noted.'
      return { toolCalls: [{ name: 'write_user_memory', arguments: { content: asked } }] }
    })
    const showCode = tool(() => 'lemon-4711', {
      name: 'show_code',
      description: 'Shows the code.',
      schema: z.object({}),
      returnDirect: true,
    })
    const agent = agentOn(server, palimpsest, {
      tools: [showCode],
      options: {
        session: ({ context }) => ({ id: `chat:${context!['chat']}`, options: { scope: 'shop' } }),
        sessionOptions: ({ context }) => ({ user: String(context!['user']) }),
      },
    })
    const run = (text: string, chat: string) =>
      agent.invoke(say(text), { context: { chat, user: 'ann' } as never })
    await run('Ann likes tea', '1')
    await run('Show me the code', '2')
    expect(texts(await palimpsest.session('chat:2').messages())).toEqual([
      'user: Show me the code',
      'assistant: tool-call',
      'tool: tool-result',
    ])
    expect(await palimpsest.session('chat:1').info()).toMatchObject({
      user: 'ann',
      scope: 'shop',
      messages: 4,
    })
    expect((await palimpsest.memory.user('ann').read())!.content).toContain('Ann likes tea')
    // Of the same person, in another chat.
    expect(server.requests.at(-1)!.said[0]!.text).toContain('Ann likes tea')
    expect(server.requests.at(-1)!.said[0]!.text).toMatch(new RegExp(`^${SYSTEM}`))
  })

  test('a session of the caller’s own is taken as it is', async () => {
    const { server, palimpsest } = await start('Hello.')
    const chat = palimpsest.session('own', { kind: 'group' })
    const agent = agentOn(server, palimpsest, { options: { session: () => chat } })
    const sender = { id: 'telegram:7', name: 'Ben' }
    const said = { content: 'Good morning', name: 'Ben' }
    await agent.invoke({ messages: [new HumanMessage({ ...said, additional_kwargs: { sender } })] })
    expect(server.requests[0]!.said.at(-1)!.text).toBe('[Ben (telegram:7)]: Good morning')
    expect(await chat.messages()).toMatchObject([{ sender }, { content: 'Hello.' }])
    // Another Ben, of whom there is no more than the name.
    await agent.invoke({ messages: [new HumanMessage({ ...said, content: 'And me' })] })
    expect(server.requests[1]!.said.at(-1)!.text).toBe('[Ben (name-only:Ben)]: And me')
  })

  test('the option says who speaks in a group', async () => {
    const { server, palimpsest } = await start('Hello.')
    const chat = palimpsest.session('own', { kind: 'group' })
    const sender = ({ id }: { id?: string | undefined }) => ({ id: `user-${id}`, name: 'Ben' })
    const agent = agentOn(server, palimpsest, { options: { session: () => chat, sender } })
    await agent.invoke({ messages: [new HumanMessage({ id: '5', content: 'Good morning' })] })
    expect(server.requests[0]!.said.at(-1)!.text).toBe('[Ben (user-5)]: Good morning')
  })
})

describe('the memory tools', () => {
  const offered = ({ tools }: ModelRequest) => tools.map(({ name }) => name)

  test('are offered as far as the session has them', async () => {
    const { server, palimpsest } = await start('Hello.', { memory: { owner: 'boss' } })
    const options: PalimpsestMiddlewareOptions = {
      sessionOptions: ({ configurable }) =>
        configurable!.thread_id === 'group' ? { kind: 'group' } : { user: configurable!.thread_id! },
    }
    const agent = agentOn(server, palimpsest, { options })
    await agent.invoke(say('Hello'), thread('group'))
    await agent.invoke(say('Hello'), thread('ann'))
    await agent.invoke(say('Hello'), thread('boss'))
    const everywhere = ['write_chat_memory', 'query_history', 'expand_history']
    expect(server.requests.map(offered)).toEqual([
      ['look_up_order', ...everywhere],
      ['look_up_order', 'write_user_memory', ...everywhere],
      ['look_up_order', 'write_memory', 'write_user_memory', ...everywhere],
    ])
    await agentOn(server, palimpsest, { options: { memoryTools: false } }).invoke(
      say('Hello'),
      thread('none'),
    )
    expect(offered(server.requests.at(-1)!)).toEqual(['look_up_order'])
  })

  test('tell the model what it got wrong', async () => {
    const { server, palimpsest } = await start(({ said }) =>
      said.at(-1)!.role === 'tool'
        ? 'Done.'
        : { toolCalls: [{ name: 'write_chat_memory', arguments: { content: 'no section' } }] },
    )
    const heard: unknown[] = []
    const handleToolEnd = (output: unknown) => heard.push(output)
    await agentOn(server, palimpsest).invoke(say('Hello'), {
      ...thread('chat'),
      callbacks: [{ handleToolEnd }],
    })
    const told = /^\{"recalled":true,"error":".*needs section/
    expect(server.requests[1]!.said.at(-1)!.text).toMatch(told)
    // Callbacks hear of it as of any other tool.
    expect(heard).toMatchObject([{ name: 'write_chat_memory', content: expect.stringMatching(told) }])
  })

  test('a tool of the same name is an error that says what to do', async () => {
    const own = tool(() => 'mine', { name: 'write_memory', description: 'Mine.', schema: z.object({}) })
    const { server, palimpsest } = await start('Hello.')
    const error = await failureOf(
      agentOn(server, palimpsest, { tools: [own] }).invoke(say('Hello'), thread('chat')),
    )
    expect(error.message).toMatch(/tools: "write_memory" cannot be taken.*memoryTools: false/)
  })
})

describe('what the log gets', () => {
  test('a message that is taken out of the state stays in the log, and a small state is enough', async () => {
    const { server, palimpsest } = await start(({ said }) => `Reply ${said.length}`)
    const forgetful = createMiddleware({
      name: 'KeepsOnlyTheQuestion',
      beforeAgent: state => ({
        messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...state.messages.slice(-1)],
      }),
    })
    const agent = agentOn(server, palimpsest, { checkpointer: new MemorySaver(), others: [forgetful] })
    for (const text of ['One', 'Two', 'Three']) {
      const { messages } = await agent.invoke(say(text), thread('chat'))
      expect(messages).toHaveLength(2)
    }
    expect(texts(await palimpsest.session('chat').messages())).toEqual([
      'user: One',
      'assistant: Reply 2',
      'user: Two',
      'assistant: Reply 4',
      'user: Three',
      'assistant: Reply 6',
    ])
  })

  test('a caller that sends the whole history with each run adds only what is new', async () => {
    const { server, palimpsest, open } = await start(({ said }) => `Reply to ${said.at(-1)!.text}`)
    const agent = agentOn(server, palimpsest)
    const history: { role: 'user' | 'assistant'; content: string }[] = []
    for (const content of ['One', 'Where is order 1?', 'yes', 'yes']) {
      history.push({ role: 'user', content })
      const { messages } = await agent.invoke({ messages: [...history] }, thread('chat'))
      history.push({ role: 'assistant', content: messages.at(-1)!.text })
    }
    await palimpsest.close()
    const again = await open()
    history.push({ role: 'user', content: 'Five' })
    await agentOn(server, again).invoke({ messages: history.slice(-3) }, thread('chat'))
    const said = [...history, { role: 'assistant', content: 'Reply to Five' }]
    expect(texts(await again.session('chat').messages())).toEqual(
      said.map(({ role, content }) => `${role}: ${content}`),
    )
  })

  test('a message that is delivered again is stored once; another under its id is stored as well', async () => {
    const { server, palimpsest, open } = await start(({ said }) => `Reply ${said.length}`)
    const asked = (content: string) => ({ messages: [new HumanMessage({ id: 'm-1', content })] })
    await agentOn(server, palimpsest).invoke(asked('Hello'), thread('chat'))
    await agentOn(server, palimpsest).invoke(asked('Hello'), thread('chat'))
    await agentOn(server, palimpsest).invoke(asked('Good morning'), thread('chat'))
    await palimpsest.close()
    const again = await open()
    const agent = agentOn(server, again)
    await agent.invoke(asked('Good evening'), thread('chat'))
    await agent.invoke(asked('Good night'), thread('chat'))
    const logged = texts(await again.session('chat').messages())
    expect(logged.filter(text => text.startsWith('user'))).toEqual([
      'user: Hello',
      'user: Good morning',
      'user: Good evening',
      'user: Good night',
    ])
    expect(server.requests.at(-1)!.said.at(-1)!.text).toBe('Good night')
    expect(findInRequests(server.requests).invalid).toEqual([])
  })

  test('a provider that gives every reply the same id loses none', async () => {
    const { server, palimpsest } = await start(() => ({
      body: JSON.stringify({
        id: 'constant',
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
      }),
    }))
    const agent = agentOn(server, palimpsest)
    for (const text of ['One', 'Two']) await agent.invoke(say(text), thread('chat'))
    expect(texts(await palimpsest.session('chat').messages())).toEqual([
      'user: One',
      'assistant: Yes.',
      'user: Two',
      'assistant: Yes.',
    ])
  })

  test('what a person changed before it was done', async () => {
    const { server, palimpsest } = await start(scriptedAssistant)
    const agent = agentOn(server, palimpsest, {
      checkpointer: new MemorySaver(),
      others: [
        humanInTheLoopMiddleware({
          interruptOn: { look_up_order: { allowedDecisions: ['approve', 'edit'] } },
        } as never),
      ],
    })
    await agent.invoke(say('Where is order B-7?'), thread('chat'))
    const chat = palimpsest.session('chat')
    expect(await chat.count()).toBe(2)
    const editedAction = { name: 'look_up_order', args: { id: 'B-8' } }
    const resume = { decisions: [{ type: 'edit', editedAction }] }
    await agent.invoke(new Command({ resume }), thread('chat'))
    const [, call, result, reply] = await chat.messages()
    expect(call!.content).toMatchObject([{ type: 'text' }, { type: 'tool-call', input: { id: 'B-8' } }])
    expect(call!.version).toBe(2)
    expect(result!.content).toMatchObject([{ output: expect.stringContaining('B-8') }])
    expect(reply!.content).toBe('It was shipped with PostNL.')
    expect(findInRequests(asInTheFormat(server.requests)).invalid).toEqual([])
  })

  test('an error of a tool, of which the model is told', async () => {
    const broken = tool(
      () => {
        throw new Error('the archive is closed')
      },
      { name: 'look_up_order', description: 'Where an order is.', schema: z.object({ id: z.string() }) },
    )
    const { server, palimpsest } = await start(scriptedAssistant)
    await agentOn(server, palimpsest, { tools: [broken] }).invoke(say('Where is order B-7?'), thread('chat'))
    const [, , result] = await palimpsest.session('chat').messages()
    expect(result!.content).toMatchObject([
      { output: { type: 'error-text', value: /the archive is closed/ } },
    ])
    expect(server.requests[1]!.said.at(-1)!.text).toMatch(/^\(error\) .*the archive is closed/)
  })

  test('an answer in a form that was asked for', async () => {
    const { server, palimpsest } = await start(({ tools }) => ({
      toolCalls: [{ name: tools.at(-1)!.name, arguments: { colour: 'red' } }],
    }))
    const agent = createAgent({
      model: new ChatOpenAI({ model: 'small', apiKey: 'none', configuration: { baseURL: server.url } }),
      tools: [lookUpOrder],
      responseFormat: toolStrategy(z.object({ colour: z.string() })),
      middleware: [palimpsestMiddleware(palimpsest)],
    })
    const { structuredResponse, messages } = await agent.invoke(say('Which colour?'), thread('chat'))
    expect(structuredResponse).toEqual({ colour: 'red' })
    const logged = await palimpsest.session('chat').messages()
    expect(logged.map(({ externalId }) => externalId)).toEqual(messages.map(({ id }) => `langchain:${id}`))
    expect(logged.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })
})

describe('a run that fails', () => {
  test('by a provider’s error leaves what was said, and the next goes on', async () => {
    const { server, palimpsest } = await start((_, index) =>
      index === 1 ? { error: { kind: 'internal' } } : 'Hello.',
    )
    const agent = agentOn(server, palimpsest)
    await agent.invoke(say('One'), thread('chat'))
    await expect(agent.invoke(say('Two'), thread('chat'))).rejects.toThrow()
    await agent.invoke(say('Three'), thread('chat'))
    expect(texts(await palimpsest.session('chat').messages())).toEqual([
      'user: One',
      'assistant: Hello.',
      'user: Two',
      'user: Three',
      'assistant: Hello.',
    ])
    expect(findInRequests(server.requests)).toMatchObject({ invalid: [], brokenPrefixes: [] })
  })

  test('after a step leaves that step, and a resumed run stores the rest once', async () => {
    let isBroken = true
    const { server, palimpsest, open } = await start(request =>
      isBroken && request.said.at(-1)!.role === 'tool'
        ? { error: { kind: 'overloaded' } }
        : scriptedAssistant(request),
    )
    const checkpointer = new MemorySaver()
    const first = agentOn(server, palimpsest, { checkpointer })
    await expect(first.invoke(say('Where is order B-7?'), thread('chat'))).rejects.toThrow()
    expect(await palimpsest.session('chat').count()).toBe(3)
    await palimpsest.close()
    isBroken = false
    const again = await open()
    await agentOn(server, again, { checkpointer }).invoke(null as never, thread('chat'))
    expect(texts(await again.session('chat').messages())).toEqual([
      'user: Where is order B-7?',
      'assistant: One moment.,tool-call',
      'tool: tool-result',
      'assistant: It was shipped with PostNL.',
    ])
  })

  const LONG = 'The crates of lemons sail to Porto on Friday. '.repeat(20)

  test('because it is stopped leaves what was streamed, marked', async () => {
    const { server, palimpsest } = await start(() => ({ text: LONG, fault: 'stall' }))
    const stopper = new AbortController()
    const stream = await agentOn(server, palimpsest).stream(say('Tell me'), {
      ...thread('chat'),
      streamMode: 'messages',
      signal: stopper.signal,
    })
    const reading = async () => {
      let pieces = 0
      for await (const _ of stream) if (++pieces === 5) stopper.abort()
    }
    await expect(reading()).rejects.toThrow()
    const chat = palimpsest.session('chat')
    await expect.poll(() => chat.count()).toBe(2)
    const [, partial] = await chat.messages()
    expect(partial!.content).toMatchObject([{ type: 'text', text: /^The crates/, interrupted: 'aborted' }])
    server.setReply('They do.')
    await agentOn(server, palimpsest).invoke(say('And then?'), thread('chat'))
    expect(server.requests.at(-1)!.said[2]!.text).toMatch(/^The crates.*\[interrupted\]$/s)
    expect(findInRequests(server.requests).invalid).toEqual([])
  })

  test('in the middle of a stream leaves what was streamed, marked', async () => {
    const { server, palimpsest } = await start(() => ({
      text: LONG,
      error: { kind: 'internal', isLate: true },
    }))
    const run = async () => {
      const stream = await agentOn(server, palimpsest).stream(say('Tell me'), {
        ...thread('chat'),
        streamMode: 'messages',
      })
      for await (const _ of stream);
    }
    await expect(run()).rejects.toThrow()
    const [, partial] = await palimpsest.session('chat').messages()
    expect(partial!.content).toMatchObject([{ type: 'text', text: /^The crates/, interrupted: 'failed' }])
  })
})

describe('a context that the provider finds too long', () => {
  const overflow = { error: { kind: 'overflow' as const } }

  test('is folded and sent once more, shorter', async () => {
    let isSmall = false
    const { server, palimpsest } = await start(() => (isSmall ? overflow : 'Noted.'), { folding: 'manual' })
    const agent = agentOn(server, palimpsest)
    for (let turn = 1; turn <= 12; turn++)
      await agent.invoke(say(`Turn ${turn}: ${'we talked about it over tea. '.repeat(30)}`), thread('chat'))
    isSmall = true
    server.setReply((_, index) => (index === 12 ? overflow : 'Now it fits.'))
    const { messages } = await agent.invoke(say('And now?'), thread('chat'))
    expect(messages.at(-1)!.text).toBe('Now it fits.')
    const [refused, taken] = server.requests.slice(-2).map(({ body }) => JSON.stringify(body.messages).length)
    expect(taken!).toBeLessThan(refused! * 0.6)
    const chat = palimpsest.session('chat')
    expect((await chat.info())!.segments).toBeGreaterThan(0)
    expect((await chat.messages()).at(-1)!.content).toBe('Now it fits.')
    expect(findInRequests(server.requests).invalid).toEqual([])
  })

  test('is refused in the provider’s words after two calls', async () => {
    const { server, palimpsest } = await start(overflow)
    const agent = agentOn(server, palimpsest)
    await expect(agent.invoke(say('Hello'), thread('chat'))).rejects.toThrow(/maximum context length/)
    expect(server.requests.length).toBeLessThanOrEqual(2)
    expect(await palimpsest.session('chat').count()).toBe(1)
  })
})

/** What Anthropic's class would be given: it is told by what it says of itself. */
class LikeAnthropic extends BaseChatModel {
  readonly model = 'claude-haiku-4-5'
  readonly thinking = { type: 'enabled' }
  readonly given: BaseMessage[][] = []

  override _llmType() {
    return 'anthropic'
  }

  override bindTools() {
    return this
  }

  override async _generate(messages: BaseMessage[]) {
    this.given.push(messages)
    const isFirst = messages.at(-1)!.type === 'human'
    const call = { id: `call_${this.given.length}`, name: 'look_up_order', args: { id: 'B-7' } }
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      isFirst
        ? { type: 'tool_use', id: call.id, name: call.name, input: call.args }
        : { type: 'text', text: 'It was shipped.' },
    ]
    const message = new AIMessage({ content: content as never, tool_calls: isFirst ? [call] : [] })
    return { generations: [{ text: '', message }] }
  }
}

test('Anthropic gets cache marks, and its thoughts back', async () => {
  const { palimpsest } = await start('')
  const model = new LikeAnthropic({})
  const agent = createAgent({
    model,
    tools: [lookUpOrder],
    systemPrompt: SYSTEM,
    middleware: [palimpsestMiddleware(palimpsest)],
  })
  for (const text of ['Where is order B-7?', 'And now?']) await agent.invoke(say(text), thread('chat'))
  const marks = model.given.map(messages => JSON.stringify(messages).split('"cache_control"').length - 1)
  expect(Math.min(...marks)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...marks)).toBeLessThanOrEqual(4)
  const [system, , call] = model.given.at(-1)!
  expect(system!.content).toMatchObject([{ type: 'text', cache_control: { type: 'ephemeral' } }])
  expect(call!.content).toMatchObject([
    { type: 'thinking', signature: 'sig' },
    { type: 'tool_use', id: 'call_1' },
  ])
  const [, reply] = await palimpsest.session('chat').messages()
  expect(reply!.content).toMatchObject([{ type: 'reasoning', text: 'Hm.' }, { type: 'tool-call' }])
})

test('a run that outlives an erasure stores nothing, and writes no memory by its tools', async () => {
  const { server, palimpsest } = await start('')
  const forget = () => palimpsest.forget({ kind: 'person', id: 'ann' })
  server.setReply(async () => {
    await forget()
    return 'You said zebra-5c1d77.'
  })
  await expect(
    agentOn(server, palimpsest).invoke(say('What is zebra-5c1d77?'), thread('thread')),
  ).rejects.toMatchObject({ cause: { code: 'erased_meanwhile' } })
  expect(await palimpsest.sessions()).toEqual([])

  const calls = [{ name: 'write_user_memory', arguments: { content: 'zebra-5c1d77' } }]
  server.setReply({ toolCalls: calls })
  const erasing = createMiddleware({
    name: 'Erasing',
    wrapToolCall: async (request, handler) => {
      await forget()
      return handler(request)
    },
  })
  const agent = agentOn(server, palimpsest, { others: [erasing] })
  await expect(agent.invoke(say('Remember zebra-5c1d77.'), thread('thread'))).rejects.toThrow()
  expect(await palimpsest.sessions()).toEqual([])
  expect(await palimpsest.memory.user('ann').read()).toBeNull()
})

describe('four runs at once in one thread', () => {
  const numbers = [1, 2, 3, 4] as const
  const question = (number: number) => `Question ${number}?`
  const textOf = ({ content }: Message) => (typeof content === 'string' ? content : JSON.stringify(content))
  const config = { configurable: { thread_id: 'chat' } }

  test('each is for its own question, and each answer points to it', async () => {
    const { server, palimpsest } = await start(({ said }) => `Answer to ${said.at(-1)!.text}`)
    const agent = agentOn(server, palimpsest)
    const answers = await Promise.all(
      numbers.map(async number => {
        const { messages } = await agent.invoke({ messages: [new HumanMessage(question(number))] }, config)
        return messages.at(-1)!.text
      }),
    )
    expect(answers).toEqual(numbers.map(number => `Answer to ${question(number)}`))
    expect(server.requests.map(({ said }) => said.at(-1)!.text).sort()).toEqual(numbers.map(question))
    const messages = await palimpsest.session('chat').messages()
    const replies = messages.filter(({ role }) => role === 'assistant')
    expect(replies).toHaveLength(4)
    for (const reply of replies)
      expect(textOf(reply)).toBe(`Answer to ${textOf(messages.find(({ seq }) => seq === reply.replyTo)!)}`)
  })

  test('a loop of tool calls keeps its question while others are answered', async () => {
    const { server, palimpsest } = await start(({ said }) => {
      if (said.at(-1)!.role === 'tool') return 'It was shipped.'
      return said.at(-1)!.text === question(1)
        ? { toolCalls: [{ name: 'look', arguments: {} }] }
        : `Answer to ${said.at(-1)!.text}`
    })
    const other = agentOn(server, palimpsest)
    const look = tool(
      async () => {
        await other.invoke({ messages: [new HumanMessage(question(2))] }, config)
        return 'A tree.'
      },
      { name: 'look', description: 'Looks.', schema: z.object({}) },
    )
    const agent = agentOn(server, palimpsest, { tools: [look] })
    const { messages } = await agent.invoke({ messages: [new HumanMessage(question(1))] }, config)
    expect(messages.at(-1)!.text).toBe('It was shipped.')
    const last = server.requests.at(-1)!.said
    expect(last.map(({ role }) => role).slice(-3)).toEqual(['user', 'assistant', 'tool'])
    expect(last.at(-3)!.text).toBe(question(1))
    expect(JSON.stringify(last)).not.toContain('Question 2')
  })
})
