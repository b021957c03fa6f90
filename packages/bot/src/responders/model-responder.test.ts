import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { tool } from 'ai'
import type { MessageInput, SessionKind } from 'palimpsest/internals/log/index'
import { createPalimpsest } from 'palimpsest/internals/palimpsest'
import type { Session } from 'palimpsest/internals/session'
import { type ModelScript, startModelServer } from 'palimpsest/internals/testing/index'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sqlitePlace } from '../../../../test/stores.ts'
import type { Trigger } from '../channel.ts'
import type { Reply, ReplyRequest } from '../responder.ts'
import { type ModelResponderOptions, modelResponder } from './model-responder.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(
  reply: ModelScript,
  { kind = 'private', ...options }: Partial<ModelResponderOptions> & { kind?: SessionKind } = {},
) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    () => palimpsest.close(),
  )
  const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  const responder = modelResponder({ model, ...options })
  const session = palimpsest.session(`${kind}:1`, { kind })
  return { server, session, respond: (request: ReplyRequest) => responder(request) as Promise<Reply> }
}

/** What the runtime gives to a responder, with the turn of the session itself. */
async function requestOf(
  session: Session,
  input: MessageInput | readonly MessageInput[],
  { trigger = 'private' as Trigger, signal = new AbortController().signal } = {},
): Promise<ReplyRequest> {
  const { messages: added } = await session.append(input)
  const messages = await session.messages({ after: added[0]!.seq - 1 })
  return { session, messages, trigger, attempt: 1, signal, turn: options => session.turn(options) }
}

async function heard(reply: Reply): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const piece of reply.text) text += piece
    return { text, error: null }
  } catch (error) {
    return { text, error }
  }
}

const user = (content: string): MessageInput => ({ role: 'user', content })

const tools = {
  look_up_order: tool({
    description: 'Where an order is.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, status: 'shipped' }),
  }),
}

test('an answer is streamed and stores itself', async () => {
  const { server, session, respond } = await start('The tide turns at noon.', { instructions: 'Be brief.' })
  const reply = await respond(await requestOf(session, user('When does the tide turn?')))
  expect(await heard(reply)).toEqual({ text: 'The tide turns at noon.', error: null })
  expect(await reply.finish()).toMatchObject({ status: 'complete', seqs: [2] })
  expect((await session.messages())[1]).toMatchObject({ role: 'assistant', replyTo: 1 })
  expect(server.requests[0]!.said[0]!.text).toMatch(/^Be brief\./)
  expect(server.requests[0]!.said[0]!.text).not.toContain('Several people speak')
  expect(server.requests[0]!.tools.map(({ name }) => name)).toContain('query_history')
})

test('what is said before and after a tool call are two paragraphs', async () => {
  const { session, respond } = await start(
    ({ said }) =>
      said.at(-1)!.role === 'tool'
        ? 'It was shipped.'
        : { text: 'One moment.', toolCalls: [{ name: 'look_up_order', arguments: { id: 'B-7' } }] },
    { tools, memoryTools: false },
  )
  const reply = await respond(await requestOf(session, user('Where is order B-7?')))
  expect(await heard(reply)).toEqual({ text: 'One moment.\n\nIt was shipped.', error: null })
  expect(await reply.finish()).toMatchObject({ status: 'complete', seqs: [2, 3, 4] })
})

test('steps have their limit, and a tool call first makes no blank line', async () => {
  const { server, session, respond } = await start(
    ({ said }) =>
      said.at(-1)!.role === 'tool'
        ? 'Done.'
        : { toolCalls: [{ name: 'look_up_order', arguments: { id: 'B-7' } }] },
    { tools, maxSteps: 1 },
  )
  const reply = await respond(await requestOf(session, user('Where is it?')))
  expect(await heard(reply)).toEqual({ text: '', error: null })
  await reply.finish()
  expect(server.requests).toHaveLength(1)
})

describe('a reply that does not come to its end', () => {
  test.each([
    ['fails at once', { status: 500 }, 0],
    ['cannot be reached', { fault: 'reset' }, 0],
    ['breaks off', { text: 'It was shipped, and the rest is never heard. '.repeat(9), fault: 'cut_off' }, 1],
    ['fails late', { text: 'It was', error: { kind: 'overloaded', isLate: true } }, 1],
  ] as const)('%s: whoever reads it hears of it, and what came is stored', async (_, script, stored) => {
    const { server, session, respond } = await start(script)
    const request = await requestOf(session, user('Where is it?'))
    const reply = await respond(request)
    const { error } = await heard(reply)
    expect(error).toBeInstanceOf(Error)
    expect(await reply.finish()).toMatchObject({ status: 'failed' })
    expect(await session.count()).toBe(1 + stored)
    expect(server.requests).toHaveLength(1)
    server.setReply('Now it works.')
    const again = await respond({ ...request, attempt: 2 })
    expect(await heard(again)).toEqual({ text: 'Now it works.', error: null })
    expect(await again.finish()).toMatchObject({ status: 'complete' })
  })

  test('stopped: it is stored as far as it came', async () => {
    const { session, respond } = await start({ text: 'The tide turns. '.repeat(40), fault: 'stall' })
    const stopper = new AbortController()
    const request = await requestOf(session, user('When?'), { signal: stopper.signal })
    const reply = await respond(request)
    await expect(
      (async () => {
        for await (const _ of reply.text) stopper.abort()
      })(),
    ).rejects.toMatchObject({ name: 'AbortError' })
    expect(await reply.finish()).toMatchObject({ status: 'aborted' })
    expect((await session.messages())[1]!.content).toMatchObject([{ interrupted: 'aborted' }])
  })

  test('left by its reader and stopped: it can be finished all the same', async () => {
    const { session, respond } = await start({ text: 'The tide turns. '.repeat(40), fault: 'stall' })
    const stopper = new AbortController()
    const reply = await respond(await requestOf(session, user('When?'), { signal: stopper.signal }))
    for await (const _ of reply.text) break
    stopper.abort()
    expect(await reply.finish()).toMatchObject({ status: 'aborted', seqs: [2] })
  })
})

describe('in a group', () => {
  const ann = { id: 'u-1', name: 'Ann' }

  test('the model is told who speaks, and whom it answers', async () => {
    const { server, session, respond } = await start('Hello!', { kind: 'group', instructions: 'Be kind.' })
    await session.append({ ...user('Lunch?'), sender: { id: 'u-2', name: 'Bob' } })
    const asked = [
      { ...user('Bot, are you there?'), sender: ann },
      { ...user('I need help.'), sender: ann },
    ]
    const reply = await respond(await requestOf(session, asked, { trigger: 'mention' }))
    await heard(reply)
    await reply.finish()
    const { said } = server.requests[0]!
    expect(said[0]!.text).toMatch(/^Be kind\.\n\nSeveral people speak in this chat\./)
    expect(said.at(-1)!.text).toContain(
      'Answer [Ann (u-1)], who mentioned you: answer their 2 newest messages, and not what others said since.',
    )
    expect((await session.messages()).at(-1)!.content).toEqual([{ type: 'text', text: 'Hello!' }])
  })
})

test('what is no model is an error at once', () => {
  expect(() => modelResponder({ model: 'gpt' as never })).toThrow('a model of the AI SDK')
})
