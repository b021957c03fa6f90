import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, streamText, tool, type UIMessage } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appendUIMessage, toUIMessages } from '../../packages/palimpsest/src/adapters/ai-sdk/index.ts'
import {
  createPalimpsest,
  type Palimpsest,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
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

/** Removes what it is told to, looks where it is told to, and says what it sees of results. */
const obeys: ModelScript = ({ said }) => {
  const asked = said.findLast(({ role, text }) => role === 'user' && /^(Remove|Look) /.test(text))?.text ?? ''
  const last = said.at(-1)!
  const [verb, id] = asked.split(' ')
  if (last.role === 'user' && last.text === asked)
    return { toolCalls: [{ name: verb!.toLowerCase(), arguments: { id }, id: 'call_0' }] }
  const results = said.slice(said.findLastIndex(({ role }) => role === 'assistant') + 1)
  return `I see: ${results
    .filter(({ role }) => role === 'tool')
    .map(({ text }) => text)
    .join(', ')}`
}

async function start(modelOf = PROVIDERS['chat completions']!, reply: ModelScript = obeys) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const open = async () =>
    createPalimpsest({
      store: await place.open(),
      policy: tokens({ budget: 8_000 }),
      folding: 'manual',
    })
  const opened: Palimpsest[] = []
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    async () => {
      for (const each of opened) await each.close()
    },
  )
  const ran: string[] = []
  const input = { inputSchema: z.object({ id: z.string() }) }
  const tools = {
    remove: tool({
      ...input,
      execute: async ({ id }) => {
        ran.push(id)
        return `removed ${id}`
      },
    }),
    look: tool({ ...input, execute: async ({ id }) => `${id} is there` }),
  }
  const again = async () => {
    for (const each of opened.splice(0)) await each.close()
    opened.push(await open())
    return opened[0]!
  }
  return { server, palimpsest: await again(), again, model: modelOf(server), tools, ran }
}

type Started = Awaited<ReturnType<typeof start>>
const toolApproval = { remove: 'user-approval' } as const

async function answer(started: Pick<Started, 'model' | 'tools'>, chat: Session, how = 'stream') {
  const turn = await chat.turn({ tools: started.tools, memoryTools: false })
  const settings = { model: started.model, ...turn.prompt, toolApproval, maxRetries: 0 }
  const result = how === 'stream' ? streamText(settings) : await generateText(settings)
  expect(await turn.finish(result)).toMatchObject({ status: 'complete' })
  return { text: await result.text, turn }
}

async function ask(started: Started, chat: Session, text: string, how?: string) {
  await chat.append({ role: 'user', content: text })
  return answer(started, chat, how)
}

/** Those that wait, oldest first. */
async function asked(chat: Session): Promise<string[]> {
  return toUIMessages(await chat.messages({ limit: 1_000 })).flatMap(({ parts }) =>
    parts.flatMap(part =>
      'approval' in part && part.state === 'approval-requested' ? [part.approval!.id] : [],
    ),
  )
}

const decisionOf = (approvalId: string, approved = true) => ({ approvalId, approved })

async function stateOfCall(chat: Session): Promise<unknown> {
  const part = toUIMessages(await chat.messages({ limit: 1_000 })).flatMap(({ parts }) =>
    parts.filter(part => part.type === 'tool-remove'),
  )[0]!
  return 'state' in part ? part.state : null
}

/** What happens between the question and the person's word. */
const MEANWHILE: Record<string, (started: Started, chat: Session, how: string) => Promise<Session>> = {
  'the person says something else': async (_, chat) => {
    await chat.append({ role: 'user', content: 'What is the weather like?' })
    return chat
  },
  'another turn answers something else': async (started, chat, how) => {
    await ask(started, chat, 'What is the weather like?', how)
    return chat
  },
  'another turn uses the same id for another call': async (started, chat, how) => {
    await ask(started, chat, 'Look around', how)
    return chat
  },
  'a fold takes the call with it': async (started, chat, how) => {
    for (let turn = 0; turn < 8; turn++)
      await ask(started, chat, `Tell me of the river. ${'It runs to the sea. '.repeat(60)}`, how)
    await chat.compact({ force: true })
    const { compactedThrough } = (await chat.info())!
    expect(compactedThrough).toBeGreaterThan(4)
    return chat
  },
  'the process starts again': async (started, chat, how) => {
    await ask(started, chat, 'What is the weather like?', how)
    return (await started.again()).session('chat')
  },
  'the question before it is edited': async (_, chat) => {
    await chat.edit(1, 'Good morning!')
    await chat.append({ role: 'user', content: 'Well?' })
    return chat
  },
}

describe.each(Object.entries(PROVIDERS))('%s', (_, modelOf) => {
  describe.each(Object.entries(MEANWHILE))('%s', (_, meanwhile) => {
    test.each(['stream', 'generate'])('%s: what is allowed then is run once', async how => {
      const started = await start(modelOf)
      const { ran, server } = started
      let chat = started.palimpsest.session('chat')
      await ask(started, chat, 'Hello', how)
      await ask(started, chat, 'Remove it', how)
      chat = await meanwhile(started, chat, how)
      const [approvalId] = await asked(chat)
      await chat.answerApproval(decisionOf(approvalId!))
      const { text, turn } = await answer(started, chat, how)
      expect([ran, text]).toEqual([['it'], 'I see: removed it'])
      expect(turn.approvals).toMatchObject([{ approvalId, toolName: 'remove', outcome: 'carried_out' }])
      expect(await stateOfCall(chat)).toBe('output-available')
      // Once and no more, whatever is said next.
      await ask(started, chat, 'Thanks.', how)
      expect(ran).toEqual(['it'])
      expect(findInRequests(server.requests).invalid).toEqual([])
    })

    test('what is refused then is not run, and the model is told', async () => {
      const started = await start(modelOf)
      const { ran, server } = started
      let chat = started.palimpsest.session('chat')
      await ask(started, chat, 'Hello')
      await ask(started, chat, 'Remove it')
      chat = await meanwhile(started, chat, 'stream')
      const [approvalId] = await asked(chat)
      await chat.answerApproval({ approvalId: approvalId!, approved: false, reason: 'not today' })
      expect((await answer(started, chat)).text).toMatch(/^I see: .*(denied|not today)/)
      await ask(started, chat, 'Thanks.')
      expect(ran).toEqual([])
      expect(await stateOfCall(chat)).toBe('output-denied')
      expect(findInRequests(server.requests).invalid).toEqual([])
    })
  })
})

test('while another turn is under way', async () => {
  const started = await start()
  const chat = started.palimpsest.session('chat')
  await ask(started, chat, 'Remove it')
  await chat.append({ role: 'user', content: 'What is the weather like?' })
  const slow = await chat.turn({ tools: started.tools, memoryTools: false })
  const said = await generateText({ model: started.model, ...slow.prompt, toolApproval })
  const [approvalId] = await asked(chat)
  await chat.answerApproval(decisionOf(approvalId!))
  await slow.finish(said)
  expect((await answer(started, chat)).text).toBe('I see: removed it')
  expect(started.ran).toEqual(['it'])
})

describe('among requests at once', () => {
  const text = async ({ model, tools }: Started, chat: Session, options: { throughSeq?: number } = {}) => {
    const turn = await chat.turn({ tools, memoryTools: false, ...options })
    const result = await generateText({ model, ...turn.prompt, toolApproval, maxRetries: 0 })
    await turn.finish(result)
    return { text: result.text, turn }
  }
  test('named by its number, it goes on with the question of its call', async () => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    await ask(started, chat, 'Look there')
    const [approvalId] = await asked(chat)
    const { messages } = await chat.answerApproval(decisionOf(approvalId!))
    const { turn, text: said } = await text(started, chat, { throughSeq: messages[0]!.seq })
    expect(said).toBe('I see: removed it')
    expect(turn.seq).toBe(1)
    expect((await chat.messages()).at(-1)!.replyTo).toBe(1)
  })

  for (const isShared of [true, false])
    test(`the request that brings it carries it out, and not what another one waits for (${isShared ? 'one handle' : 'a handle each'})`, async () => {
      const started = await start()
      const chat = started.palimpsest.session('chat')
      const handle = () => (isShared ? chat : started.palimpsest.session('chat'))
      await ask(started, handle(), 'Remove it')
      const [approvalId] = await asked(chat)
      const [appended, allows] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const looking = async () => {
        const own = handle()
        await own.append({ role: 'user', content: 'What is the weather like?' })
        appended.resolve()
        await allows.promise
        return text(started, own)
      }
      const allowing = async () => {
        await appended.promise
        const own = handle()
        await own.answerApproval(decisionOf(approvalId!))
        allows.resolve()
        return text(started, own)
      }
      const [looked, allowed] = await Promise.all([looking(), allowing()])
      expect(allowed.text).toBe('I see: removed it')
      expect(looked.text).not.toContain('removed')
      expect([looked.turn.seq, allowed.turn.seq]).toEqual([3, 1])
      expect(started.ran).toEqual(['it'])
    })

  test('what another turn carried out is shown to the one that was to go on with it', async () => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const [approvalId] = await asked(chat)
    const { messages } = await chat.answerApproval(decisionOf(approvalId!))
    await ask(started, chat, 'And?')
    expect((await text(started, chat, { throughSeq: messages[0]!.seq })).text).toBe('I see: removed it')
    expect(started.ran).toEqual(['it'])
  })
})

test('two that were asked for at different times, allowed at once', async () => {
  let calls = 0
  const numbered: ModelScript = (request, index) => {
    const reply = (obeys as (request: unknown, index: number) => { toolCalls?: { id: string }[] } | string)(
      request,
      index,
    )
    if (typeof reply !== 'string') for (const call of reply.toolCalls ?? []) call.id = `call_${calls++}`
    return reply as never
  }
  for (const modelOf of Object.values(PROVIDERS)) {
    const started = await start(modelOf, numbered)
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove one')
    await ask(started, chat, 'Remove two')
    for (const approvalId of await asked(chat)) await chat.answerApproval(decisionOf(approvalId))
    expect((await answer(started, chat)).text).toBe('I see: removed one, removed two')
    expect(started.ran).toEqual(['one', 'two'])
    await ask(started, chat, 'Thanks.')
    expect(started.ran).toEqual(['one', 'two'])
    expect(findInRequests(started.server.requests).invalid).toEqual([])
  }
})

test('two calls of one id: one is carried out, and of the other the model is told', async () => {
  const started = await start()
  const chat = started.palimpsest.session('chat')
  await ask(started, chat, 'Remove one')
  await ask(started, chat, 'Remove two')
  for (const approvalId of await asked(chat)) await chat.answerApproval(decisionOf(approvalId))
  const { turn } = await answer(started, chat)
  expect(turn.approvals.map(({ outcome }) => outcome)).toEqual(['same_id', 'carried_out'])
  expect(started.ran).toEqual(['two'])
  expect(JSON.stringify(started.server.requests.at(-1)!.said)).toContain('cannot be carried out')
})

test('a page that presses twice, with a turn for each: it is run once', async () => {
  const started = await start()
  const chat = started.palimpsest.session('chat')
  await ask(started, chat, 'Remove it')
  const shown = toUIMessages(await chat.messages()).at(-1)!
  const parts = shown.parts.map(part =>
    'approval' in part
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  )
  const page = { ...shown, parts } as UIMessage
  const press = async () => {
    await appendUIMessage(chat, page)
    const turn = await chat.turn({ tools: started.tools, memoryTools: false })
    await turn.finish(streamText({ model: started.model, ...turn.prompt, toolApproval }))
    return turn.approvals.map(({ outcome }) => outcome)
  }
  const outcomes = await Promise.all([press(), press()])
  expect(started.ran).toEqual(['it'])
  expect(outcomes.flat().sort()).toEqual(['carried_out', 'under_way'])
})

test('a prompt that is sent again after the model failed does not run the tool again', async () => {
  for (const how of ['stream', 'generate']) {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const [approvalId] = await asked(chat)
    await chat.answerApproval(decisionOf(approvalId!))
    const turn = await chat.turn({ tools: started.tools, memoryTools: false })
    const settings = { model: started.model, ...turn.prompt, toolApproval, maxRetries: 0, onError: () => {} }
    const send = async () => {
      if (how === 'stream') return turn.finish(streamText(settings))
      try {
        return await turn.finish(await generateText(settings))
      } catch (error) {
        return turn.fail(error)
      }
    }
    started.server.setReply({ status: 500 })
    expect(await send()).toMatchObject({ status: 'failed' })
    started.server.setReply(obeys)
    expect(await send()).toMatchObject({ status: 'complete' })
    expect(started.ran).toEqual(['it'])
    const log = JSON.stringify(await chat.messages())
    expect(log.split('"value":"removed it"')).toHaveLength(2)
  }
})

describe('what cannot be allowed is refused with a reason', () => {
  async function refused(chat: Session, approvalId: string, approved = true): Promise<unknown> {
    const before = await chat.count().catch(() => 0)
    const error = await chat.answerApproval({ approvalId, approved }).catch(error => error)
    expect(error).toMatchObject({ code: 'approval_refused' })
    expect(await chat.count().catch(() => 0)).toBe(before)
    return error.details
  }

  test('one that was never asked: those that wait are named', async () => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const waiting = await asked(chat)
    expect(await refused(chat, 'never')).toMatchObject({ reason: 'unknown', waiting })
    await expect(chat.answerApproval({ approvalId: '', approved: true })).rejects.toThrow(/approvalId/)
    await expect(chat.answerApproval({ approvalId: waiting[0]!, approved: 'yes' as never })).rejects.toThrow(
      /approved/,
    )
  })

  test('one that was answered: the same again adds nothing, the other word is refused', async () => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const [approvalId] = await asked(chat)
    expect((await chat.answerApproval(decisionOf(approvalId!))).messages).toHaveLength(1)
    expect((await chat.answerApproval(decisionOf(approvalId!))).messages).toHaveLength(0)
    expect(await refused(chat, approvalId!, false)).toMatchObject({ reason: 'answered', waiting: [] })
    await answer(started, chat)
    expect((await chat.answerApproval(decisionOf(approvalId!))).messages).toHaveLength(0)
    expect(await refused(chat, approvalId!, false)).toMatchObject({ reason: 'answered' })
    expect(started.ran).toEqual(['it'])
  })

  test('yes and no at once: one of them counts', async () => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const [approvalId] = await asked(chat)
    const both = await Promise.allSettled([
      chat.answerApproval(decisionOf(approvalId!, true)),
      chat.answerApproval(decisionOf(approvalId!, false)),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'approval_refused', details: { reason: 'answered' } },
    })
  })

  test.each<[string, (chat: Session, palimpsest: Palimpsest) => Promise<unknown>, string]>([
    ['taken back', chat => chat.rollback(1), 'unknown'],
    [
      'erased',
      (_, palimpsest) => palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [2] }),
      'unknown',
    ],
    ['before a new beginning', chat => chat.newBeginning(), 'earlier_beginning'],
  ])('one that is %s', async (_, undo, reason) => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const [approvalId] = await asked(chat)
    const shown = toUIMessages(await chat.messages()).at(-1)!
    await undo(chat, started.palimpsest)
    await chat.append({ role: 'user', content: 'Hello?' })
    expect(await refused(chat, approvalId!)).toMatchObject({ reason, waiting: [] })
    const parts = shown.parts.map(part =>
      'approval' in part
        ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
        : part,
    )
    await expect(appendUIMessage(chat, { ...shown, parts } as UIMessage)).rejects.toMatchObject({
      code: 'approval_refused',
      details: { reason },
    })
    await answer(started, chat)
    expect(started.ran).toEqual([])
  })

  test.each<[string, (chat: Session, palimpsest: Palimpsest) => Promise<unknown>]>([
    ['erased', (_, palimpsest) => palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [2] })],
    ['left behind by a new beginning', chat => chat.newBeginning()],
  ])('one that was allowed and then %s is not run, and the turn says so', async (_, undo) => {
    const started = await start()
    const chat = started.palimpsest.session('chat')
    await ask(started, chat, 'Remove it')
    const [approvalId] = await asked(chat)
    await chat.answerApproval(decisionOf(approvalId!))
    await undo(chat, started.palimpsest)
    await chat.append({ role: 'user', content: 'Is it gone?' })
    await answer(started, chat)
    expect(started.ran).toEqual([])
    expect(findInRequests(started.server.requests).invalid).toEqual([])
  })
})

test('what an earlier version let pass is not run at some later time', async () => {
  const started = await start()
  const chat = started.palimpsest.session('chat')
  await ask(started, chat, 'Remove it')
  const [approvalId] = await asked(chat)
  await chat.append({
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: approvalId!, approved: true }],
  })
  await chat.append({ role: 'assistant', content: 'The weather is fine.' })
  await ask(started, chat, 'Thanks.')
  expect(started.ran).toEqual([])
})
