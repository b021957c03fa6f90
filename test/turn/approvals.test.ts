import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, streamText, tool, type UIMessage } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appendUIMessage, toUIMessages } from '../../packages/palimpsest/src/adapters/ai-sdk/index.ts'
import { createPalimpsest, type Message, type Session, tokens } from '../../packages/palimpsest/src/index.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import {
  decidedCalls,
  groupedByMessage,
  openApprovals,
  withApprovals,
} from '../../packages/palimpsest/src/turn/approvals.ts'
import type { SentToModel } from '../../packages/palimpsest/src/turn/sdk.ts'
import { findInRequests } from '../frameworks/check-requests.ts'
import { sqlitePlace } from '../stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const PROVIDERS: Record<string, (server: ModelServer) => LanguageModel> = {
  'chat completions': ({ url }) => createOpenAICompatible({ name: 'loopback', baseURL: url })('scripted'),
  'OpenAI Responses': ({ url }) => createOpenAI({ baseURL: url, apiKey: 'none' })('gpt-5-mini'),
  'Anthropic Messages': ({ url }) => createAnthropic({ baseURL: url, apiKey: 'none' })('claude-haiku-4-5'),
}

async function start(reply: ModelScript, modelOf = PROVIDERS['chat completions']!) {
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
  const ran: string[] = []
  const input = { inputSchema: z.object({ id: z.string() }) }
  const tools = {
    remove: tool({ ...input, execute: async ({ id }) => `removed ${ran.push(id) && id}` }),
    look: tool({ ...input, execute: async ({ id }) => `${id} is there` }),
  }
  return { server, chat: palimpsest.session('chat'), model: modelOf(server), tools, ran }
}

type Started = Awaited<ReturnType<typeof start>>

/** Calls `remove` twice and `look` once, and says what came of the calls. */
const asksFirst: ModelScript = ({ said }) => {
  const last = said.findLastIndex(({ role }) => role === 'assistant')
  const results = said.slice(last + 1).filter(({ role }) => role === 'tool')
  if (results.length > 0) return `I see: ${results.map(({ text }) => text).join(', ')}`
  return {
    text: 'May I?',
    toolCalls: [
      { name: 'remove', arguments: { id: 'a' }, id: 'call_0' },
      { name: 'look', arguments: { id: 'b' }, id: 'call_1' },
      { name: 'remove', arguments: { id: 'c' }, id: 'call_2' },
    ],
  }
}

const toolApproval = { remove: 'user-approval' } as const

async function runTurn({ chat, model, tools }: Pick<Started, 'chat' | 'model' | 'tools'>, how = 'stream') {
  const turn = await chat.turn({ tools, memoryTools: false })
  const settings = { model, ...turn.prompt, toolApproval }
  const result = how === 'stream' ? streamText(settings) : await generateText(settings)
  const finished = await turn.finish(result)
  expect(finished).toMatchObject({ status: 'complete' })
  return result.text
}

/** What a page sends when the person has decided on each call, in order. */
async function decide(chat: Session, ...decisions: readonly (boolean | null)[]): Promise<UIMessage> {
  const left = [...decisions]
  const shown = toUIMessages(await chat.messages()).at(-1)!
  const parts = shown.parts.map(part => {
    if (!('approval' in part) || part.state !== 'approval-requested') return part
    const approved = left.shift()
    return typeof approved === 'boolean'
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved } }
      : part
  })
  const message = { ...shown, parts: parts as UIMessage['parts'] }
  await appendUIMessage(chat, message)
  return message
}

describe.each(Object.entries(PROVIDERS))('%s', (_, modelOf) => {
  test.each(['stream', 'generate'])('%s: what was allowed is run, what was refused is not', async how => {
    const started = await start(asksFirst, modelOf)
    const { chat, server, ran } = started
    await chat.append({ role: 'user', content: 'Remove them.' })
    await runTurn(started, how)
    expect(ran).toEqual([])
    const message = await decide(chat, true, false)
    expect(await runTurn(started, how)).toBe('I see: b is there, Tool call execution denied., removed a')
    expect(ran).toEqual(['a'])
    expect(server.requests).toHaveLength(2)
    expect(findInRequests(server.requests)).toMatchObject({ invalid: [] })

    // The page sends it again, and somebody asks on: nothing is run twice.
    expect((await appendUIMessage(chat, message)).messages).toEqual([])
    await chat.append({ role: 'user', content: 'Thanks.' })
    server.setReply('You are welcome.')
    await runTurn(started, how)
    expect(ran).toEqual(['a'])
    expect(findInRequests(server.requests)).toMatchObject({ invalid: [] })
    const reply = toUIMessages(await chat.messages())[1]!
    expect(reply.parts.flatMap(part => ('toolCallId' in part ? [part.state] : []))).toEqual([
      'output-available',
      'output-available',
      'output-denied',
    ])
  })
})

test('the loop goes on after it, and each step shows the result', async () => {
  const started = await start(({ said }) => {
    const steps = said.filter(({ role }) => role === 'assistant').length
    if (steps === 0) return { toolCalls: [{ name: 'remove', arguments: { id: 'a' }, id: 'call_0' }] }
    return steps < 3
      ? { toolCalls: [{ name: 'look', arguments: { id: `${steps}` }, id: 'call_0' }] }
      : 'Done.'
  })
  const { chat, server, ran } = started
  await chat.append({ role: 'user', content: 'Remove it.' })
  await runTurn(started)
  await decide(chat, true)
  expect(await runTurn(started)).toBe('Done.')
  expect(ran).toEqual(['a'])
  for (const { said } of server.requests.slice(1))
    expect(said.filter(({ role }) => role === 'tool')[0]!.text).toBe('removed a')
  expect((await chat.messages()).map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'tool'],
    ...['assistant', 'tool', 'assistant', 'tool', 'assistant'],
  ])
})

test('a model that fails after the tool was run does not make it run again', async () => {
  for (const how of ['stream', 'generate']) {
    const started = await start(asksFirst)
    const { chat, server, ran, model, tools } = started
    await chat.append({ role: 'user', content: 'Remove them.' })
    await runTurn(started)
    await decide(chat, true, false)
    server.setReply({ status: 500 } as never)
    const turn = await chat.turn({ tools, memoryTools: false })
    const settings = { model, ...turn.prompt, toolApproval, maxRetries: 0 }
    if (how === 'stream') await turn.finish(streamText({ ...settings, onError: () => {} }))
    else await turn.fail(await generateText(settings).catch((error: unknown) => error))
    const results = (await chat.messages()).flatMap(({ content }) =>
      JSON.stringify(content).match(/removed a/g),
    )
    expect(results.filter(Boolean)).toHaveLength(1)
    server.setReply('Well.')
    await runTurn(started)
    expect(ran).toEqual(['a'])
  }
})

test('a provider that finds the prompt too long is shown the result all the same', async () => {
  const started = await start(asksFirst)
  const { chat, server, ran } = started
  const earlier = Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${index}. ${'The river runs to the sea. '.repeat(20)}`,
  }))
  await chat.append(earlier)
  await chat.append({ role: 'user', content: 'Remove them.' })
  await runTurn(started)
  await decide(chat, true, false)
  let tries = 0
  server.setReply(({ said }) => {
    tries += 1
    if (tries === 1) return { error: { kind: 'overflow' } }
    return said.some(({ text }) => text.includes('removed a')) ? 'It is gone.' : 'Nothing happened.'
  })
  expect(await runTurn(started)).toBe('It is gone.')
  expect([tries, ran]).toEqual([2, ['a']])
  expect((await chat.messages()).map(({ role }) => role).slice(-2)).toEqual(['tool', 'assistant'])
})

test('while one call waits for its answer, the other is run', async () => {
  const started = await start(asksFirst)
  const { chat, server, ran } = started
  await chat.append({ role: 'user', content: 'Remove them.' })
  await runTurn(started)
  await decide(chat, null, true)
  expect(await runTurn(started)).toBe('I see: (no result yet), b is there, removed c')
  expect(ran).toEqual(['c'])
  expect(findInRequests(server.requests)).toMatchObject({ invalid: [] })
})

describe('withApprovals', () => {
  const message = (role: Message['role'], content: Message['content']) => ({ role, content }) as Message
  const place = (messages: SentToModel[], newest: Message[]) => {
    const log = newest.map((message, index) => ({ ...message, seq: index + 1, replyTo: null }))
    const calls = [...decidedCalls(log, openApprovals(log)).values()].filter(({ isOpen }) => isOpen)
    const decided = groupedByMessage(
      log,
      calls.map(({ call }) => call),
    )
    const asking = log.findLast(({ role }) => role === 'assistant')?.seq ?? 0
    const messageSeqs = messages.map(({ role }) => (role === 'user' ? 0 : asking))
    return withApprovals(messages, { messageSeqs, language: 'en', decided })
  }
  const call = { type: 'tool-call', toolCallId: 'a/1', toolName: 'remove', input: { id: 'a' } } as const
  const request = { type: 'tool-approval-request', approvalId: 'may-i', toolCallId: 'a/1' } as const
  const response = { type: 'tool-approval-response', approvalId: 'may-i', approved: true } as const
  const thought = { type: 'reasoning', text: 'Hm.' } as const
  const nothing = { type: 'reasoning', text: '', part: { type: 'custom' } } as const
  const asked = message('assistant', [thought, nothing, { type: 'text', text: 'May I?' }, call, request])
  const user: SentToModel = { role: 'user', content: 'Remove it.' }
  const note: SentToModel = { role: 'user', content: '[system]: It is Monday.' }
  const sent: SentToModel[] = [
    user,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'May I?' },
        { ...call, toolCallId: 'a_1' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a_1',
          toolName: 'remove',
          output: { type: 'text', value: '(no result yet)' },
        },
      ],
    },
  ]

  test('the pair at the end is as it was stored, and notes stand before it', () => {
    const newest = [message('user', 'Remove it.'), asked, message('tool', [response])]
    const expected = [
      { role: 'assistant', content: [thought, { type: 'text', text: 'May I?' }, call, request] },
      { role: 'tool', content: [response] },
    ]
    expect(place(sent, newest)).toEqual([user, ...expected])
    expect(place([...sent, note], newest)).toEqual([user, note, ...expected])
  })

  test.each<[string, Message[]]>([
    ['nothing was answered', [asked]],
    ['its result is there', [asked, message('tool', [response, { type: 'tool-result', toolCallId: 'a/1' }])]],
    ['the assistant spoke since', [asked, message('tool', [response]), message('assistant', 'Well.')]],
    ['nobody was asked', [message('assistant', [call]), message('tool', [response])]],
    ['nothing was said', []],
  ])('all stays as it is where %s', (_, newest) => {
    expect(place(sent, newest)).toBe(sent)
    expect(place([user], newest)).toEqual([user])
    expect(place([], newest)).toEqual([])
  })
})
