import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  type AgentInputItem,
  OpenAIProvider,
  OutputGuardrailTripwireTriggered,
  Runner,
  RunState,
  tool,
} from '@openai/agents'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatViolations, responsesViolations } from '../../../../../test/openai-agents/request-rules.ts'
import { createPalimpsest, type Palimpsest, type PalimpsestOptions, sqlite, tokens } from '../../index.ts'
import {
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../testing/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { type AgentsSession, type AgentsSessionOptions, agentsSession } from './index.ts'

const BUDGET = 4_000
let folder: string
let server: ModelServer
let palimpsest: Palimpsest

async function open(options: Partial<PalimpsestOptions> = {}): Promise<void> {
  palimpsest = await createPalimpsest({
    store: sqlite(join(folder, 'chat.db'), { durability: 'normal' }),
    policy: tokens({ budget: BUDGET }),
    ...options,
  })
}

async function restart(): Promise<void> {
  await palimpsest.close()
  await open()
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-agents-'))
  server = await startModelServer()
  await open()
})
afterEach(async () => {
  await palimpsest.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const lookUpOrder = tool({
  name: 'look_up_order',
  description: 'Says where an order is.',
  strict: false,
  parameters: {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: true,
  },
  execute: async input => ({ id: (input as { id: string }).id, status: 'shipped', carrier: 'PostNL' }),
})

interface Setup {
  readonly useResponses?: boolean
  readonly options?: AgentsSessionOptions
  readonly agent?: Partial<ConstructorParameters<typeof Agent>[0]>
}

async function setUp({ useResponses = true, options = {}, agent = {} }: Setup = {}) {
  const session = agentsSession(palimpsest.session('terminal', { user: 'me' }), {
    tools: [lookUpOrder],
    ...options,
  })
  const tools = [lookUpOrder, ...(await session.tools())]
  const instructions = session.instructions('You help the customers of a shop.')
  const made = new Agent({ name: 'shop', model: 'gpt-5', instructions, tools, ...agent } as never)
  const modelProvider = new OpenAIProvider({ baseURL: server.url, apiKey: 'key', useResponses })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const run = (input: unknown, session_: AgentsSession = session) =>
    runner.run(made as never, input as never, {
      session: session_,
      callModelInputFilter: session_.inputFilter,
      maxTurns: 50,
    })
  return { session, agent: made, runner, run }
}

function chat() {
  return palimpsest.session('terminal', { user: 'me' })
}

/** What was sent, as the provider would count it. */
function size({ body }: ModelRequest): number {
  const { instructions = '', input, messages, tools } = body
  return [instructions, input ?? messages, tools].reduce<number>(
    (sum, part) => sum + estimateTokens(textsOf(part)),
    0,
  )
}

function textsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textsOf).join('\n')
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .filter(([name]) =>
      [
        'content',
        'text',
        'output',
        'arguments',
        'name',
        'description',
        'summary',
        'function',
        'tool_calls',
        'parameters',
      ].includes(name),
    )
    .map(([name, inner]) => (name === 'parameters' ? JSON.stringify(inner) : textsOf(inner)))
    .join('\n')
}

function violations({ protocol, body }: ModelRequest): readonly string[] {
  return protocol === 'responses' ? responsesViolations(body) : chatViolations(body)
}

/** The conversation as it was sent; the SDK itself takes the ids of calls away when it stores them. */
function sentItems({ body }: ModelRequest): readonly string[] {
  const items = (body['input'] ?? body.messages) as readonly Record<string, unknown>[]
  return items
    .filter(({ role }) => role !== 'system')
    .map(({ id, ...item }) => JSON.stringify(item['type'] === 'function_call' ? item : { id, ...item }))
}

/**
 * How often a request did not begin with all of the one before. What stands for the past stands first: as long as that
 * stays, all that was sent has to stay.
 */
function prefixBreaks(): number {
  const sent = server.requests.map(sentItems)
  return sent.filter((items, index) => {
    const before = sent[index - 1]
    if (before === undefined) return false
    if (items[0] !== before[0]) return true
    expect(items.slice(0, before.length), `request ${index}`).toEqual(before)
    return false
  }).length
}

const GREETING = 'My name is Zebediah Quillfeather and my order is 4711.'

/** Looks an order up in every third turn, talks at length in the others, and knows what it can read. */
const shopkeeper: ModelScript = request => {
  const asked = request.said.findLast(({ role }) => role === 'user')!.text
  const last = request.said.at(-1)!
  const reasoning = 'Let me think.'
  if (last.role === 'tool') return { text: `It says: ${last.text}`, reasoning }
  if (asked.startsWith('Who am I')) {
    const name = request.said.map(({ text }) => /My name is (\w+ \w+)/.exec(text)?.[1]).find(Boolean)
    return { text: name === undefined ? 'I do not know.' : `You are ${name}.`, reasoning }
  }
  const number = Number(/\d+/.exec(asked)?.[0] ?? 0)
  if (number % 3 === 0)
    return { toolCalls: [{ name: 'look_up_order', arguments: { id: `${number}` } }], reasoning }
  return { text: `About ${number}: ${'we have that in stock and can send it to you. '.repeat(4)}`, reasoning }
}

describe.each([
  ['Responses', true, false],
  ['streamed Responses', true, true],
  ['chat completions', false, false],
])('60 turns through %s', (_, useResponses, stream) => {
  test('keep within the window, lose nothing and remember the first', async () => {
    server.setReply(shopkeeper)
    let { run, runner, agent, session } = await setUp({ useResponses })
    const ask = async (question: string) => {
      if (!stream) return String((await run(question)).finalOutput)
      const result = await runner.run(agent as never, question, {
        session,
        callModelInputFilter: session.inputFilter,
        stream: true,
      })
      for await (const _ of result.toTextStream());
      await result.completed
      return String(result.finalOutput)
    }
    for (let turn = 0; turn < 60; turn++) {
      await ask(turn === 0 ? GREETING : `Question ${turn}: do you have it in blue?`)
      if (turn === 25) {
        await restart()
        ;({ run, runner, agent, session } = await setUp({ useResponses }))
      }
    }
    expect(await ask('Who am I?')).toContain('Zebediah Quillfeather')
    for (const request of server.requests) {
      expect(violations(request)).toEqual([])
      expect(size(request)).toBeLessThan(BUDGET)
    }
    const info = (await chat().info())!
    const breaks = prefixBreaks()
    expect(breaks).toBeLessThanOrEqual(2 * info.epoch)
    expect(breaks).toBeLessThan(12)
    expect(info.segments).toBeGreaterThan(0)
    expect(info.compactedThrough).toBeGreaterThan(100)
    const items = await session.getItems(100_000)
    expect(items.filter(item => (item as { role?: string }).role === 'user')).toHaveLength(61)
    expect(JSON.stringify(items)).not.toContain('session_memory')
    expect((await session.getItems())[0]).toMatchObject({
      role: 'user',
      content: expect.stringContaining('<session_memory>'),
    })
    const { results } = await chat().search('Quillfeather')
    expect(results.map(({ seq }) => seq)).toContain(1)
  })
})

test('a conversation that nobody folds stays within the window, too', async () => {
  await palimpsest.close()
  await open({ folding: 'manual' })
  server.setReply(shopkeeper)
  const { run, session } = await setUp()
  await run(GREETING)
  for (let turn = 1; turn < 60; turn++) await run(`Question ${turn}: do you have it in blue?`)
  for (const request of server.requests) {
    expect(violations(request)).toEqual([])
    expect(size(request)).toBeLessThan(BUDGET)
  }
  expect(prefixBreaks()).toBeLessThan(10)
  expect((await chat().info())!.segments).toBe(0)
  expect(await session.getItems(10_000)).toHaveLength((await chat().info())!.messages)
})

test('a long loop of tool calls stays within the window, and the log has it whole', async () => {
  const long = (id: string) => `${id}: ${'shipped from the warehouse in Delft by road. '.repeat(60)}`
  const report = tool({
    name: 'report',
    description: 'A long report.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: true,
    },
    execute: async input => long((input as { id: string }).id),
  })
  server.setReply(request => {
    const results = request.said.filter(({ role }) => role === 'tool').length
    if (results < 13)
      return { toolCalls: [{ name: 'report', arguments: { id: `r${results}` } }], reasoning: 'more' }
    return { text: `All ${results - 1} reports read.` }
  })
  const { run, session } = await setUp({ agent: { tools: [report] } })
  await session.addItems([
    { role: 'user', content: 'What did the last report say?' },
    { type: 'function_call', callId: 'old', name: 'report', arguments: '{}', status: 'completed' },
    { type: 'function_call_result', callId: 'old', name: 'report', status: 'completed', output: long('old') },
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Nothing new.' }] },
  ])
  const question = `Read all twelve. ${'Please. '.repeat(50)}`
  const result = await run(question)
  expect(result.finalOutput).toBe('All 12 reports read.')
  expect(server.requests).toHaveLength(13)
  for (const request of server.requests) {
    expect(violations(request)).toEqual([])
    expect(size(request)).toBeLessThan(BUDGET)
    expect(JSON.stringify(request.body['input'])).toContain(question)
  }
  const newest = server.requests.at(-1)!
  expect(JSON.stringify(newest.body['input']), 'what was given last is whole').toContain(long('r12'))
  const stored = await session.getItems(1_000)
  for (let number = 1; number <= 12; number++)
    expect(JSON.stringify(stored)).toContain(JSON.stringify(long(`r${number}`)).slice(1, -1))
  expect(stored.filter(item => JSON.stringify(item).includes(question))).toHaveLength(1)
  // The input was left as it is, in steps: most requests begin with all of the one before.
  const growing = server.requests.slice(1).filter((request, index) => {
    const before = sentItems(server.requests[index]!)
    return JSON.stringify(sentItems(request).slice(0, before.length)) === JSON.stringify(before)
  })
  expect(growing.length).toBeGreaterThan(5)
})

test('what changed in memory is said, and neither that nor the summary is ever stored', async () => {
  server.setReply(request => {
    const last = request.said.at(-1)!
    if (last.role === 'tool' || !last.text.includes('remember')) return 'Noted.'
    const given = { section: 'Agreements', content: 'We meet on Fridays' }
    return { toolCalls: [{ name: 'write_chat_memory', arguments: given }] }
  })
  const { run, session } = await setUp()
  await chat().memory.append('- Ann likes tea')
  await run('Please remember that we meet on Fridays')
  await run('And now?')
  const input = JSON.stringify(server.requests.at(-1)!.body['input'])
  expect(input).toContain('<recent_changes>')
  expect(input.indexOf('<recent_changes>')).toBeLessThan(input.indexOf('And now?'))
  expect(server.requests.at(-1)!.body['instructions']).not.toContain('Fridays')
  await chat().compact({ force: true })
  await run('And then?')
  expect(server.requests.at(-1)!.body['instructions']).toContain('We meet on Fridays')
  expect(JSON.stringify(await session.getItems(100))).not.toMatch(/<(?:recent_changes|session_memory)>/)
  expect((await chat().messages({ limit: 100 })).filter(({ role }) => role === 'user')).toHaveLength(3)
})

test('a run that waits for an approval goes on in another process', async () => {
  server.setReply(request =>
    request.said.at(-1)!.role === 'tool' ? 'Done.' : { toolCalls: [{ name: 'refund', arguments: {} }] },
  )
  const refund = tool({
    name: 'refund',
    description: 'Pays back.',
    strict: false,
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    needsApproval: true,
    execute: async () => 'paid back',
  })
  const first = await setUp({ agent: { tools: [refund] } })
  const waiting = await first.run('I want my money back')
  expect(waiting.interruptions).toHaveLength(1)
  const saved = JSON.stringify(waiting.state)
  await restart()
  const second = await setUp({ agent: { tools: [refund] } })
  const state = await RunState.fromString(second.agent as never, saved)
  for (const interruption of state.getInterruptions()) state.approve(interruption)
  expect((await second.run(state)).finalOutput).toBe('Done.')
  const types = (await second.session.getItems(10)).map(item => item.type)
  expect(types).toEqual(['message', 'function_call', 'function_call_result', 'message'])
  for (const request of server.requests) expect(violations(request)).toEqual([])
  await second.run('Thanks')
  expect(violations(server.requests.at(-1)!)).toEqual([])
})

test('an output that a guardrail blocks is not stored, but what the tools did is, once', async () => {
  server.setReply(request =>
    request.said.at(-1)!.role === 'tool'
      ? 'secret: 42'
      : { toolCalls: [{ name: 'look_up_order', arguments: { id: '1' } }] },
  )
  const outputGuardrails = [
    { name: 'no secrets', execute: async () => ({ tripwireTriggered: true, outputInfo: null }) },
  ]
  const { run, session } = await setUp({ agent: { tools: [lookUpOrder], outputGuardrails } })
  const transactions: unknown[] = []
  const apply = session.applyHistoryTransaction.bind(session)
  session.applyHistoryTransaction = async args => {
    transactions.push(structuredClone(args))
    // As where the answer to the first try is lost.
    await apply(args)
    await apply(args)
  }
  await expect(run('Tell me')).rejects.toThrow(OutputGuardrailTripwireTriggered)
  const stored = await session.getItems(10)
  expect(JSON.stringify(stored)).not.toContain('secret')
  if (transactions.length > 0)
    expect(stored.map(item => item.type)).toEqual(['message', 'function_call', 'function_call_result'])
  expect(transactions.length).toBeGreaterThan(0)
})

test('what the provider counts is learned, for the model that is named', async () => {
  server.setReply(request => ({ text: 'x', usage: { input: size(request) * 2, output: 1 } }))
  const { run } = await setUp({ options: { model: 'gpt-5' } })
  for (let turn = 0; turn < 6; turn++) await run(`Question ${turn}: ${'and a good many words. '.repeat(10)}`)
  const before = (await chat().context()).report.tokens
  await chat().compact({ force: true })
  const plain = (await chat().context()).report.tokens
  const calibrated = (await chat().context({ model: 'gpt-5' })).report.tokens
  expect(calibrated / plain).toBeGreaterThan(1.5)
  expect(before).toBeGreaterThan(0)
})

test('a message that is in the log already is answered by a run without input', async () => {
  server.setReply('Hello.')
  const { run, session } = await setUp()
  await chat().append({ role: 'user', content: 'Anybody here?', externalId: 'm-1' })
  expect((await run([])).finalOutput).toBe('Hello.')
  expect(violations(server.requests[0]!)).toEqual([])
  expect(server.requests[0]!.said.at(-1)).toMatchObject({ role: 'user', text: 'Anybody here?' })
  expect(await session.getItems(9)).toHaveLength(2)
})

test('a run may be given its history by a callback of its own', async () => {
  server.setReply('Yes.')
  const { session, runner, agent } = await setUp()
  const sessionInputCallback = (history: AgentInputItem[], added: AgentInputItem[]) => [
    ...history.slice(-2).map(item => structuredClone(item)),
    ...added,
  ]
  for (const question of ['one', 'two', 'three'])
    await runner.run(agent as never, [{ role: 'user', content: question }], { session, sessionInputCallback })
  const users = (await session.getItems(20)).filter(item => (item as { role?: string }).role === 'user')
  expect(users.map(item => (item as { content: unknown }).content)).toEqual(['one', 'two', 'three'])
})

test('four runs at once in one session: each is for its own question, and stored as one piece', async () => {
  server.setReply(({ said }) => `Answer to ${said.at(-1)!.text}`)
  const numbers = [1, 2, 3, 4]
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ baseURL: server.url, apiKey: 'none', useResponses: false }),
    tracingDisabled: true,
  })
  const agent = new Agent({ name: 'shop', model: 'gpt-5-mini' })
  const answers = await Promise.all(
    numbers.map(async number => {
      const session = agentsSession(palimpsest.session('chat'))
      return (await runner.run(agent, `Question ${number}?`, { session })).finalOutput
    }),
  )
  expect(answers).toEqual(numbers.map(number => `Answer to Question ${number}?`))
  const log = await palimpsest.session('chat').messages()
  expect(log.filter(({ role }) => role === 'user')).toHaveLength(4)
  expect(log).toHaveLength(8)
})
