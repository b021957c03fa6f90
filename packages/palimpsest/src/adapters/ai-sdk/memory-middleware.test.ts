import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findInRequests } from '../../../../../test/frameworks/check-requests.ts'
import { conversation, scriptedAssistant } from '../../../../../test/frameworks/scripted-assistant.ts'
import { runs } from '../../../../../test/runs.ts'
import { sqlitePlace } from '../../../../../test/stores.ts'
import { createPalimpsest, type Session, tokens } from '../../index.ts'
import { type ModelScript, startModelServer } from '../../testing/index.ts'
import { memoryMiddleware } from './memory-middleware.ts'

const BUDGET = 8_000
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(reply: ModelScript) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), policy: tokens({ budget: BUDGET }) })
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    () => palimpsest.close(),
  )
  const chat = palimpsest.session('chat')
  const bare = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  const model = wrapLanguageModel({ model: bare, middleware: memoryMiddleware(chat) })
  return { server, palimpsest, chat, model, bare }
}

const tools = {
  look_up_order: tool({
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, status: 'shipped' }),
  }),
}
const loop = { tools, stopWhen: stepCountIs(5), instructions: 'You are a helpful assistant in a shop.' }

describe.each([
  ['the whole history', (history: ModelMessage[]) => history],
  ['the last ten messages', (history: ModelMessage[]) => fromUser(history.slice(-10))],
  ['only the new message', (history: ModelMessage[]) => history.slice(-1)],
])('code that sends %s', (_, sent) => {
  test('is stored once, and the model sees the context in its place', async () => {
    const { server, palimpsest, chat, model } = await start(scriptedAssistant)
    const history: ModelMessage[] = []
    for (const [index, content] of conversation(36).entries()) {
      history.push({ role: 'user', content })
      const call = { model, ...loop, messages: sent(history) }
      const result = index % 2 === 0 ? await generateText(call) : streamText(call)
      history.push(...(await result.responseMessages))
      await palimpsest.settled()
    }
    const found = findInRequests(server.requests)
    expect(found).toMatchObject({ invalid: [], brokenPrefixes: [] })
    expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
    expect(found.beginnings).toBeGreaterThan(1)
    const messages = await chat.messages({ limit: 1_000 })
    expect(messages.map(({ role }) => role)).toEqual(history.map(({ role }) => role))
    expect(JSON.stringify(server.requests.at(-1)!.said)).toContain('lemon-4711')
  })
})

/** A list that was cut must begin with the user, as a careful program would see to. */
function fromUser(messages: ModelMessage[]): ModelMessage[] {
  return messages.slice(messages.findIndex(({ role }) => role === 'user'))
}

test('a reply that is asked for again takes the place of the first, which stays in the log', async () => {
  let asked = 0
  const { chat, model } = await start(() => `Answer ${++asked}`)
  const messages: ModelMessage[] = [{ role: 'user', content: 'Tell me a joke.' }]
  await generateText({ model, messages })
  messages.push({ role: 'assistant', content: 'Answer 1' }, { role: 'user', content: 'Another.' })
  await generateText({ model, messages })
  await generateText({ model, messages })
  const shown = await chat.messages()
  expect(shown.map(({ seq, content }) => [seq, JSON.stringify(content)])).toEqual([
    [1, expect.stringContaining('Tell me a joke.')],
    [2, expect.stringContaining('Answer 1')],
    [3, expect.stringContaining('Another.')],
    [5, expect.stringContaining('Answer 3')],
  ])
})

test('a call that the SDK tries again is stored once', async () => {
  let asked = 0
  const { chat, model } = await start(() => (++asked === 1 ? { status: 500 } : 'Here I am.'))
  await generateText({ model, prompt: 'Are you there?', maxRetries: 1 })
  expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('a stream that is stopped or breaks off is stored as far as it came, and marked', async () => {
  const { chat, model, server } = await start({ text: 'The tide turns. '.repeat(40), fault: 'cut_off' })
  await streamText({ model, prompt: 'When?', onError: () => {} }).consumeStream()
  server.setReply({ text: 'The tide turns. '.repeat(40), fault: 'stall' })
  const stopper = new AbortController()
  const { textStream } = streamText({
    model,
    prompt: 'And then?',
    abortSignal: stopper.signal,
    onError: () => {},
  })
  for await (const _ of textStream) stopper.abort()
  await expect.poll(() => chat.count()).toBe(4)
  const messages = await chat.messages()
  expect(messages[1]!.content).toMatchObject([{ type: 'text', interrupted: 'failed' }])
  expect(messages[3]!.content).toMatchObject([{ type: 'text', interrupted: 'aborted' }])
})

test('in a long loop of tool calls the question stays, and the window is kept', async () => {
  const { server, model } = await start(({ said }) => {
    const last = /Page (\d+)\./.exec(said.findLast(({ role }) => role === 'tool')?.text ?? '')
    const page = Number(last?.[1] ?? 0) + 1
    return page <= 25 ? { toolCalls: [{ name: 'read', arguments: { page } }] } : 'I have read it all.'
  })
  const read = tool({
    inputSchema: z.object({ page: z.number() }),
    execute: async ({ page }) => `Page ${page}. ${'The river runs to the sea. '.repeat(150)}`,
  })
  const call = { model, prompt: 'Read the book for me.', tools: { read }, stopWhen: stepCountIs(30) }
  expect((await generateText(call)).text).toBe('I have read it all.')
  const found = findInRequests(server.requests)
  expect(found.invalid).toEqual([])
  expect(found.mostTokens).toBeLessThanOrEqual(BUDGET)
  for (const { said } of server.requests) expect(JSON.stringify(said)).toContain('Read the book for me.')
})

test('a provider that finds it too long is sent less, once', async () => {
  const lengths: number[] = []
  const { chat, model } = await start(({ said }) => {
    lengths.push(JSON.stringify(said).length)
    return lengths.length === 1 ? { error: { kind: 'overflow' } } : 'Now it fits.'
  })
  for (const content of conversation(12))
    await chat.append([
      { role: 'user', content },
      { role: 'assistant', content: 'Noted.' },
    ])
  expect((await generateText({ model, prompt: 'And now?' })).text).toBe('Now it fits.')
  expect(lengths[1]!).toBeLessThan(lengths[0]! * 0.8)
})

test('the session is found by the call, pictures are kept, and Anthropic gets its marks', async () => {
  const { palimpsest, server } = await start('A cat.')
  const bare = createAnthropic({ baseURL: server.url, apiKey: 'none' })('claude-haiku-4-5')
  const middleware = memoryMiddleware(({ providerOptions }) =>
    palimpsest.session(String(providerOptions?.['palimpsest']?.['session'])),
  )
  const model = wrapLanguageModel({ model: bare, middleware })
  const ask = (session: string, text: string) =>
    generateText({
      model,
      providerOptions: { palimpsest: { session } },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
          ],
        },
      ],
    })
  await Promise.all([ask('one', 'What is this, 甲?'), ask('two', 'What is this, 乙?')])
  await ask('one', 'And this?')
  const last = server.requests.at(-1)!
  expect(JSON.stringify(last.said)).toContain('甲')
  expect(JSON.stringify(last.said)).not.toContain('乙')
  expect(findInRequests(server.requests)).toMatchObject({ invalid: [], marked: 3 })
  expect(JSON.stringify(last.body).split('iVBORw0KGgo=')).toHaveLength(3)
})

/** What the log shows, each message as `role: words`. */
async function said(chat: Session): Promise<string[]> {
  const messages = await chat.messages({ limit: 1_000 })
  return messages.map(({ role, content }) => {
    const words =
      typeof content === 'string' ? content : content.map(part => (part as { text?: string }).text)
    return `${role}: ${[words].flat().join('')}`
  })
}

test('what somebody says during a loop of tool calls stays', async () => {
  const { chat, model } = await start(({ said }) =>
    said.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ name: 'look', arguments: {} }] },
  )
  const look = tool({
    inputSchema: z.object({}),
    execute: async () => {
      await chat.append({ role: 'user', sender: 'bob', content: 'And a cake, please.' })
      return 'seen'
    },
  })
  await generateText({ model, prompt: 'Where is it?', tools: { look }, stopWhen: stepCountIs(3) })
  expect(await said(chat)).toEqual([
    'user: Where is it?',
    'assistant: ',
    'user: And a cake, please.',
    'tool: ',
    expect.stringContaining('assistant: '),
  ])
})

test('of two calls at once, both questions stay', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const { chat, model } = await start(async ({ said }) => {
    if (said.at(-1)?.text !== 'Question A') return 'Answer B'
    arrive()
    await gate
    return 'Answer A'
  })
  const ask = (content: string) =>
    generateText({
      model,
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'I am a bot.' },
        { role: 'user', content },
      ],
    })
  const first = ask('Question A')
  await arrived
  await ask('Question B')
  open()
  await first
  expect(await said(chat)).toEqual([
    'user: Hello',
    'assistant: I am a bot.',
    'user: Question A',
    'user: Question B',
    'assistant: Answer B',
    'assistant: Answer A',
  ])
})

test('a program that sends the first and the last of its messages hides nothing and adds nothing twice', async () => {
  let asked = 0
  const { chat, model } = await start(() => `Answer ${++asked}`)
  const history: ModelMessage[] = []
  for (let turn = 1; turn <= 6; turn++) {
    history.push({ role: 'user', content: `Question ${turn}` })
    const messages = history.length <= 6 ? history : [...history.slice(0, 4), ...history.slice(-3)]
    const { text } = await generateText({ model, messages })
    history.push({ role: 'assistant', content: text })
  }
  expect(await said(chat)).toEqual(history.map(({ role, content }) => `${role}: ${content}`))
})

test('examples that are sent with every new message hide nothing', async () => {
  let asked = 0
  const { chat, model } = await start(() => `Answer ${++asked}`)
  const examples: ModelMessage[] = [
    { role: 'user', content: 'Two and two?' },
    { role: 'assistant', content: '4' },
  ]
  for (let turn = 1; turn <= 3; turn++)
    await generateText({ model, messages: [...examples, { role: 'user', content: `Question ${turn}` }] })
  expect(await said(chat)).toEqual([
    'user: Two and two?',
    'assistant: 4',
    ...[1, 2, 3].flatMap(turn => [`user: Question ${turn}`, `assistant: Answer ${turn}`]),
  ])
})

test('a message whose call failed is not stored again with the next one', async () => {
  let asked = 0
  const { chat, model } = await start(() => (++asked === 1 ? { status: 500 } : 'Here I am.'))
  const messages: ModelMessage[] = [{ role: 'user', content: 'A question.' }]
  await expect(generateText({ model, messages, maxRetries: 0 })).rejects.toThrow()
  messages.push({ role: 'user', content: 'Are you there?' })
  await generateText({ model, messages })
  expect(await said(chat)).toEqual(['user: A question.', 'user: Are you there?', 'assistant: Here I am.'])
})

test('an edit takes the place of what it replaces; where somebody else spoke since, that stays', async () => {
  let asked = 0
  const { chat, model } = await start(() => `Answer ${++asked}`)
  const messages: ModelMessage[] = [{ role: 'user', content: 'Question 1' }]
  await generateText({ model, messages })
  messages.push({ role: 'assistant', content: 'Answer 1' })
  await generateText({ model, messages: [...messages, { role: 'user', content: 'Question 2' }] })
  await generateText({ model, messages: [...messages, { role: 'user', content: 'Question 3' }] })
  const edited = ['user: Question 1', 'assistant: Answer 1', 'user: Question 3', 'assistant: Answer 3']
  expect(await said(chat)).toEqual(edited)
  await chat.append([
    { role: 'user', content: 'I am here too.' },
    { role: 'assistant', content: 'Welcome.' },
  ])
  await generateText({ model, messages: [...messages, { role: 'user', content: 'Question 4' }] })
  expect(await said(chat)).toEqual([
    ...edited,
    'user: I am here too.',
    'assistant: Welcome.',
    'user: Question 4',
    'assistant: Answer 4',
  ])
})

test('what somebody says between the look and the change stays', async () => {
  let asked = 0
  const { chat, bare } = await start(() => `Answer ${++asked}`)
  let speaks = false
  // The session itself, but that somebody speaks right after its end was read.
  const watched = (session: Session): Session =>
    new Proxy(session, {
      get: (target, field) => {
        const value = Reflect.get(target, field, target)
        if (typeof value !== 'function') return value
        return async (...given: unknown[]) => {
          const result = await value.apply(target, given)
          if (field === 'messages' && speaks) {
            speaks = false
            await chat.append({ role: 'user', sender: 'bob', content: 'Wait!' })
          }
          return field === 'bound' ? watched(result) : result
        }
      },
    })
  const model = wrapLanguageModel({ model: bare, middleware: memoryMiddleware(watched(chat)) })
  const messages: ModelMessage[] = [{ role: 'user', content: 'Question 1' }]
  await generateText({ model, messages })
  messages.push({ role: 'assistant', content: 'Answer 1' }, { role: 'user', content: 'Question 2' })
  await generateText({ model, messages })
  speaks = true
  await generateText({ model, messages })
  expect(await said(chat)).toEqual([
    'user: Question 1',
    'assistant: Answer 1',
    'user: Question 2',
    'assistant: Answer 2',
    'user: Wait!',
    'assistant: Answer 3',
  ])
})

test('nothing of one session is sent in the calls of another with the same id', async () => {
  const script: ModelScript = ({ said }) => {
    const last = /Page (\d+)\./.exec(said.findLast(({ role }) => role === 'tool')?.text ?? '')
    const page = Number(last?.[1] ?? 0) + 1
    return page <= 8 ? { toolCalls: [{ name: 'read', arguments: { page } }] } : 'I have read it.'
  }
  const one = await start(script)
  const other = await start('I am another.')
  for (let place = 0; place < 40; place++)
    await other.chat.append({ role: place % 2 ? 'assistant' : 'user', content: `Number ${place}` })
  const middleware = memoryMiddleware(({ providerOptions }) =>
    providerOptions?.['palimpsest']?.['tenant'] === 'one' ? one.chat : other.chat,
  )
  const ask = (bare: typeof one.bare, tenant: string, prompt: string, tools = {}) =>
    generateText({
      model: wrapLanguageModel({ model: bare, middleware }),
      prompt,
      tools,
      stopWhen: stepCountIs(12),
      providerOptions: { palimpsest: { tenant } },
    })
  const read = tool({
    inputSchema: z.object({ page: z.number() }),
    execute: async ({ page }) => {
      if (page === 1) await ask(other.bare, 'other', 'A secret of the other.')
      return `Page ${page}. ${'The river runs to the sea. '.repeat(400)}`
    },
  })
  await ask(one.bare, 'one', 'Read the book.', { read })
  for (const { said } of one.server.requests) {
    expect(JSON.stringify(said)).toContain('Read the book.')
    expect(JSON.stringify(said)).not.toContain('A secret of the other.')
  }
})

type Model = Parameters<typeof wrapLanguageModel>[0]['model']

/** What a program does next, and how it sends its list; `others`: who speaks elsewhere first, and is answered or not. */
interface Move {
  readonly does: 'ask' | 'edit' | 'again' | 'fail'
  readonly sends: 'whole' | 'last' | 'ends' | 'new'
  readonly count: number
  readonly others: 'silent' | 'speak' | 'answered' | 'during'
}

const anyMove: fc.Arbitrary<Move> = fc.record({
  does: fc.constantFrom('ask', 'ask', 'edit', 'again', 'fail'),
  sends: fc.constantFrom('whole', 'last', 'ends', 'new'),
  count: fc.integer({ min: 1, max: 4 }),
  others: fc.constantFrom('silent', 'silent', 'speak', 'answered', 'during'),
})

test('however a program sends its list: what people said is hidden by its own edits only, and nothing is stored twice', async () => {
  const { palimpsest } = await start('')
  let answer = async (): Promise<string> => ''
  const bare: Model = {
    specificationVersion: 'v4',
    provider: 'none',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text: await answer() }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
    doStream: async () => {
      throw new Error('It does not stream.')
    },
  }
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 1, maxLength: 10 }), async moves => {
      const chat = palimpsest.session(`run ${++run}`)
      const model = wrapLanguageModel({ model: bare, middleware: memoryMiddleware(chat) })
      const history: ModelMessage[] = []
      const mayBeHidden = new Set<string>()
      const spoken: string[] = []
      let number = 0
      const say = (who: string) => {
        spoken.push(`${who} ${++number}`)
        return spoken.at(-1)!
      }
      const other = (words = say('bob')) => chat.append({ role: 'user', content: words })
      for (const { does, sends, count, others } of moves) {
        if (others === 'speak') await other()
        // A reply answers all that was asked before it, so here only where nothing waits for one.
        if (others === 'answered' && history.at(-1)?.role !== 'user') {
          await other()
          await chat.append({ role: 'assistant', content: `to bob ${++number}` })
        }
        // A list without a reply is no history.
        const first = history.findIndex(({ role }) => role === 'assistant')
        const turns = history.flatMap(({ role }, place) => (role === 'user' && place > first ? [place] : []))
        const isAgain = does === 'again' && first !== -1 && turns.length > 0
        const isEdit = does === 'edit' && first !== -1 && turns.length > 0
        if (isAgain) history.splice(turns.at(-1)! + 1)
        if (isEdit)
          for (const { role, content } of history.splice(turns.at(-count) ?? turns[0]!))
            if (role === 'user') mayBeHidden.add(String(content))
        if (!isAgain) history.push({ role: 'user', content: say('ann') })
        const isWhole = isAgain || isEdit || sends === 'whole'
        const unanswered = history.length - 1 - history.findLastIndex(({ role }) => role === 'assistant')
        const part = isWhole ? history : partOf(history, sends, { count, unanswered })
        answer = async () => {
          if (others === 'during') await other()
          if (does === 'fail') throw new Error('The model is not there.')
          return `reply ${++number}`
        }
        const call = generateText({ model, messages: part, maxRetries: 0 })
        if (does === 'fail') await call.catch(() => {})
        else history.push({ role: 'assistant', content: (await call).text })
      }
      const shown = await said(chat)
      const people = shown.filter(line => line.startsWith('user: ')).map(line => line.slice(6))
      expect(new Set(shown).size).toBe(shown.length)
      expect(spoken.filter(words => !people.includes(words) && !mayBeHidden.has(words))).toEqual([])
    }),
    { numRuns: runs(20, 50) },
  )
}, 30_000)

/** `unanswered`: how many at the end are new, or were never answered. */
function partOf(
  history: ModelMessage[],
  sends: Move['sends'],
  { count, unanswered }: { count: number; unanswered: number },
): ModelMessage[] {
  if (sends === 'new') return history.slice(-unanswered)
  const last = history.slice(-(unanswered + count))
  if (sends === 'last' || last.length === history.length) return last
  return [...history.slice(0, Math.min(4, history.length - last.length)), ...last]
}

describe('four calls at once', () => {
  const numbers = [1, 2, 3, 4] as const
  const question = (number: number) => `Question ${number}?`
  const answered = numbers.map(number => [question(number), `Answer to ${question(number)}`])

  async function answersIn(chat: Session): Promise<(string | null)[][]> {
    const messages = await chat.messages()
    const textOf = (seq: unknown) => messages.find(message => message.seq === seq)?.content ?? null
    const text = (content: unknown) =>
      typeof content === 'string' ? content : (content as [{ text: string }])[0].text
    return messages
      .filter(({ role, replyTo }) => role === 'assistant' && replyTo !== null)
      .map(({ replyTo, content }) => [text(textOf(replyTo)), text(content)])
      .sort()
  }

  test.each([
    ['only the new message', [] as ModelMessage[]],
    [
      'the whole history',
      [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Answer to Hello.' },
      ],
    ],
  ] as [string, ModelMessage[]][])('of %s: each is for its own question', async (_, history) => {
    const { server, chat, model } = await start(({ said }) => `Answer to ${said.at(-1)!.text}`)
    if (history.length > 0) await generateText({ model, messages: history.slice(0, 1) })
    const texts = await Promise.all(
      numbers.map(async number => {
        const messages: ModelMessage[] = [...history, { role: 'user', content: question(number) }]
        return (await generateText({ model, messages })).text
      }),
    )
    expect(texts).toEqual(numbers.map(number => `Answer to ${question(number)}`))
    const asked = server.requests.slice(history.length / 2).map(({ said }) => said.at(-1)!.text)
    expect(asked.sort()).toEqual(numbers.map(question))
    expect((await answersIn(chat)).filter(([asked]) => asked !== 'Hello.')).toEqual(answered)
    expect(await chat.count()).toBe(history.length + 8)
  })

  test('a loop of tool calls, or one that is tried again, keeps its question', async () => {
    let broken = 0
    const { server, chat, model } = await start(({ said }) => {
      const last = said.at(-1)!
      if (last.role === 'tool') return `Answer to ${question(1)}`
      if (last.text === question(1)) return { toolCalls: [{ name: 'look', arguments: {} }] }
      if (last.text === question(2) && broken++ === 0) return { status: 500 }
      return `Answer to ${last.text}`
    })
    const ask = (number: number) => generateText({ model, prompt: question(number) })
    const look = tool({
      inputSchema: z.object({}),
      execute: async () => {
        await Promise.all([3, 4].map(ask))
        return 'A tree.'
      },
    })
    await Promise.all([
      generateText({ model, tools: { look }, stopWhen: stepCountIs(3), prompt: question(1) }),
      ask(2),
    ])
    const loop = server.requests.findLast(({ said }) => said.at(-1)!.role === 'tool')!
    expect(loop.said.map(({ role }) => role).slice(-3)).toEqual(['user', 'assistant', 'tool'])
    expect(loop.said.at(-3)!.text).toBe(question(1))
    const texts = (await answersIn(chat)).filter(([, answer]) => answer !== undefined)
    expect(texts).toEqual(answered)
    expect((await chat.messages()).filter(({ role }) => role === 'user')).toHaveLength(4)
  })
})
