import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { experimental_createSteering, generateText, streamText, type Tool, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPalimpsest, type PalimpsestOptions, tokens } from '../../src/index.ts'
import type { ToolResultPart } from '../../src/log/index.ts'
import { type ModelScript, startModelServer } from '../../src/testing/index.ts'
import { sqlitePlace } from '../stores.ts'

/** What fresh eyes found. */

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(reply: ModelScript, options: Partial<PalimpsestOptions> = {}, budget = 8_000) {
  const server = await startModelServer({ reply })
  const place = sqlitePlace()
  const store = await place.open()
  const errors: unknown[] = []
  const policy = tokens({ budget })
  const onError = (error: unknown) => errors.push(error)
  const palimpsest = await createPalimpsest({ store, policy, onError, ...options })
  cleanups.push(
    () => server.close(),
    () => place.remove(),
    () => palimpsest.close(),
  )
  const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  const chat = palimpsest.session('chat', { user: 'ann' })
  /** The database is locked for the next so many appends. */
  const refuse = (times: number) => {
    const { append } = store.log
    let left = times
    store.log.append = request => (left-- > 0 ? Promise.reject(new Error('locked')) : append(request))
  }
  return { server, palimpsest, store, errors, chat, model, refuse }
}

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const looksThenSays: ModelScript = ({ said }) =>
  said.some(({ role }) => role === 'tool')
    ? 'Done.'
    : { text: 'One moment.', toolCalls: [{ name: 'look', arguments: {} }] }

const pages = (last: number): ModelScript => {
  let page = 0
  return () => (++page <= last ? { toolCalls: [{ name: 'read', arguments: { page } }] } : 'Done.')
}

describe.each(['manual', 'background'] as const)('folding %s', folding => {
  test('what others say during a long turn is in no request, folded or not', async () => {
    const { chat, palimpsest, server, model } = await start(pages(12), { folding }, 4_000)
    const read = tool({
      inputSchema: z.object({ page: z.number() }),
      execute: async ({ page }) => {
        await chat.append([
          {
            role: 'user',
            sender: 'bob',
            content: `Zebra ${page}: I decided that the safe code is ${4_000 + page}.`,
          },
          {
            role: 'user',
            sender: 'bob',
            content: `Zebra plan ${page}. ${'More is to be said. '.repeat(25)}`,
          },
        ])
        await palimpsest.settled()
        return `Page ${page}. ${'The river runs to the sea. '.repeat(100)}`
      },
    })
    await chat.append({ role: 'user', content: 'Read the book.' })
    const turn = await chat.turn({ tools: { read }, memoryTools: false })
    await turn.finish(await generateText({ model, ...turn.prompt }))
    expect(server.requests).toHaveLength(13)
    for (const { body } of server.requests) {
      expect(JSON.stringify(body)).not.toContain('Zebra')
      expect(JSON.stringify(body)).toContain('Read the book.')
    }
    expect(JSON.stringify((await chat.context()).messages)).toContain('Zebra')
  })
})

test('a picture that a tool gives is shown, and costs what a picture costs', async () => {
  const { chat, server } = await start(({ said }) =>
    said.at(-1)?.role === 'tool' ? 'A cat.' : { toolCalls: [{ name: 'shot', arguments: {} }] },
  )
  const model = createAnthropic({ baseURL: server.url, apiKey: 'none' })('claude-haiku-4-5')
  const data = `iVBORw0KGgo${'A'.repeat(80_000)}`
  const shot = tool({
    inputSchema: z.object({}),
    execute: async () => ({ data }),
    toModelOutput: () => ({
      type: 'content',
      value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data } }],
    }),
  })
  await chat.append({ role: 'user', content: 'What is on the screen?' })
  const turn = await chat.turn({ tools: { shot }, memoryTools: false })
  await turn.finish(await generateText({ model, ...turn.prompt }))
  expect(server.requests.map(({ body }) => JSON.stringify(body).includes(data))).toEqual([false, true])
  expect((await chat.snapshot())!.raw.tokens).toBeLessThan(3_000)
})

describe('a store that fails', () => {
  test('in finish: the reply is stored by fail, or by the next finish', async () => {
    const { chat, model, refuse } = await start(looksThenSays)
    await chat.append({ role: 'user', content: 'q' })
    const turn = await chat.turn({ tools: { look }, memoryTools: false })
    const result = await generateText({ model, ...turn.prompt })
    refuse(1)
    const error = await turn.finish(result).catch(error => error)
    expect(error).toMatchObject({ message: 'locked' })
    expect(await turn.fail(error)).toMatchObject({ status: 'complete', seqs: [2, 3, 4] })
    expect(await turn.finish(result)).toMatchObject({ status: 'complete' })
    expect((await chat.messages()).at(-1)).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] })
    expect(await chat.count()).toBe(4)
  })

  test('when the usage is noted: the turn is complete, and the error is told', async () => {
    const { chat, model, store, errors } = await start('Fine.')
    await chat.append({ role: 'user', content: 'q' })
    const turn = await chat.turn()
    store.sessions.recordMeasures = () => Promise.reject(new Error('locked'))
    expect(await turn.finish(await generateText({ model, ...turn.prompt }))).toMatchObject({
      status: 'complete',
    })
    expect(errors).toMatchObject([{ message: 'locked' }])
  })

  test('between steps: what was said is in the next request all the same', async () => {
    const { chat, model, server, refuse } = await start(pages(4), { folding: 'manual' }, 3_000)
    const read = tool({
      inputSchema: z.object({ page: z.number() }),
      execute: async ({ page }) => `Page ${page}. ${'The river runs to the sea. '.repeat(150)}`,
    })
    await chat.append({ role: 'user', content: 'Read.' })
    const turn = await chat.turn({ tools: { read }, memoryTools: false })
    refuse(Number.POSITIVE_INFINITY)
    await generateText({ model, ...turn.prompt })
    for (const [index, { said }] of server.requests.entries())
      expect(index === 0 || JSON.stringify(said).includes(`Page ${index}.`)).toBe(true)
  })
})

test('finish as soon as the stream begins, and once more after it was stopped, stores it once', async () => {
  const { chat, model } = await start({ text: 'The tide turns. '.repeat(60), fault: 'stall' })
  await chat.append({ role: 'user', content: 'q' })
  const turn = await chat.turn({ memoryTools: false })
  const stopper = new AbortController()
  const result = streamText({ model, ...turn.prompt, abortSignal: stopper.signal, onError: () => {} })
  const finished = turn.finish(result)
  for await (const _ of result.textStream) stopper.abort()
  expect(await finished).toMatchObject({ status: 'aborted', seqs: [2] })
  expect(await turn.finish(result)).toMatchObject({ status: 'aborted', seqs: [2] })
  expect(await chat.count()).toBe(2)
})

test('fail twice is one mark; a time-out is an abort', async () => {
  const { chat, model } = await start(({ said }) =>
    said.at(-1)?.role === 'tool' ? { status: 500 } : { toolCalls: [{ name: 'look', arguments: {} }] },
  )
  await chat.append({ role: 'user', content: 'q' })
  const turn = await chat.turn({ tools: { look }, memoryTools: false })
  await generateText({ model, ...turn.prompt, maxRetries: 0 }).catch(() => {})
  const error = new DOMException('too late', 'TimeoutError')
  expect(await turn.fail(error)).toMatchObject({ status: 'aborted' })
  expect(await turn.fail(error)).toMatchObject({ status: 'aborted' })
  expect(await chat.count()).toBe(4)
})

test('a step that is stopped while its tools run is stored with the results that there are', async () => {
  const calls = ['steps', 'odd', 'slow'].map(name => ({ name, arguments: {}, id: name }))
  const { chat, model } = await start({ text: 'One moment.', toolCalls: calls })
  await chat.append({ role: 'user', content: 'q' })
  const stopper = new AbortController()
  class Row {
    readonly id = 7
  }
  class OddRow extends Row {}
  const inputSchema = z.object({})
  const tools: Record<string, Tool> = {
    steps: tool({
      inputSchema,
      async *execute() {
        yield 'half'
        yield 'whole'
      },
    }) as Tool,
    odd: tool({ inputSchema, execute: async () => ({ row: new OddRow(), number: Number.NaN }) }) as Tool,
    slow: tool({
      inputSchema,
      execute: async () => {
        setTimeout(() => stopper.abort(), 30)
        await new Promise(resolve => stopper.signal.addEventListener('abort', resolve))
        return new Promise(() => {})
      },
    }) as Tool,
  }
  const turn = await chat.turn({ tools, memoryTools: false })
  const result = streamText({ model, ...turn.prompt, abortSignal: stopper.signal, onError: () => {} })
  expect(await turn.finish(result)).toMatchObject({ status: 'aborted' })
  const [, asked, answered] = await chat.messages()
  expect(asked!.content).toHaveLength(4)
  const outputs = (answered!.content as readonly ToolResultPart[]).map(part => [part.toolCallId, part.output])
  expect(Object.fromEntries(outputs)).toEqual({
    steps: { type: 'text', value: 'whole' },
    odd: { type: 'json', value: { row: { id: 7 }, number: null } },
  })
})

test('what a program steers by is sent, and stored', async () => {
  const steering = experimental_createSteering()
  const { chat, model, server } = await start(looksThenSays)
  const steered = tool({
    inputSchema: z.object({}),
    execute: async () => {
      steering.steer('Use kilometres.')
      return 'seen'
    },
  })
  await chat.append({ role: 'user', content: 'q' })
  const turn = await chat.turn({ tools: { look: steered }, memoryTools: false })
  await turn.finish(await generateText({ model, ...turn.prompt, experimental_steering: steering }))
  expect(JSON.stringify(server.requests[1]!.said)).toContain('Use kilometres.')
  expect((await chat.messages()).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
  ])
})

test('a try after a passing error begins with the shortened prompt, and does not shorten it again', async () => {
  const lengths: number[] = []
  const { chat, model } = await start(({ said }) => {
    lengths.push(JSON.stringify(said).length)
    if (lengths.length === 1) return { error: { kind: 'overflow' } }
    return lengths.length === 2 ? { status: 503, headers: { 'retry-after-ms': '1' } } : 'Here I am.'
  })
  for (let turn = 0; turn < 14; turn++)
    await chat.append([
      { role: 'user', content: 'Tell me of the sea. '.repeat(30) },
      { role: 'assistant', content: 'It is deep. '.repeat(30) },
    ])
  await chat.append({ role: 'user', content: 'And now?' })
  const turn = await chat.turn({ memoryTools: false })
  await turn.finish(await generateText({ model, ...turn.prompt, maxRetries: 1 }))
  expect(lengths).toHaveLength(3)
  expect(lengths[2]).toBe(lengths[1])
})

test('an error after the last word marks the words', async () => {
  const { chat, model } = await start({
    text: 'Nearly all of it.',
    error: { kind: 'internal', isLate: true },
  })
  await chat.append({ role: 'user', content: 'q' })
  const turn = await chat.turn({ memoryTools: false })
  await turn.finish(streamText({ model, ...turn.prompt, onError: () => {} }))
  const messages = await chat.messages()
  expect(messages.slice(1).map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'Nearly all of it.', interrupted: 'failed' }],
  ])
})

describe('a stream that breaks while the program reads it', () => {
  const broken = { text: 'The tide turns at noon. '.repeat(40), fault: 'cut_off' } as const

  test('is stored as far as it came by finish', async () => {
    const { chat, model } = await start(broken)
    await chat.append({ role: 'user', content: 'q' })
    const turn = await chat.turn({ memoryTools: false })
    const result = streamText({ model, ...turn.prompt, onError: () => {} })
    let heard = ''
    const read = async () => {
      for await (const text of result.textStream) heard += text
    }
    await read().catch(() => {})
    expect(await turn.finish(result)).toMatchObject({ status: 'failed', seqs: [2] })
    const [, reply] = await chat.messages()
    expect(reply!.content).toMatchObject([{ type: 'text', interrupted: 'failed' }])
    expect(JSON.stringify(reply!.content)).toContain(heard)
    expect(heard.length).toBeGreaterThan(100)
  })

  test('and by fail', async () => {
    const { chat, model } = await start(broken)
    await chat.append({ role: 'user', content: 'q' })
    const turn = await chat.turn({ memoryTools: false })
    const result = streamText({ model, ...turn.prompt, onError: () => {} })
    const read = async () => {
      for await (const _ of result.textStream);
    }
    const error = await read().then(
      () => null,
      error => error,
    )
    expect(await turn.fail(error)).toMatchObject({ status: 'failed', seqs: [2] })
  })
})

test.each([
  [{ system: 'x' }, 'there is no option "system". Did you mean instructions?'],
  [{ maxStep: 3 }, 'maxSteps'],
  [{ maxSteps: 0 }, 'a number above 0'],
  [{ tools: [] }, 'an object of tools by their names'],
  [{ memoryTools: 'no' }, 'true or false'],
  [null, 'an object with instructions'],
])('options %j are refused with what is allowed', async (options, allowed) => {
  const { chat } = await start('Yes.')
  await chat.append({ role: 'user', content: 'q' })
  await expect(chat.turn(options as never)).rejects.toThrow(allowed)
})

test.each([undefined, 5, streamText, {}])('finish of what is no result is an error: %s', async result => {
  const { chat } = await start('Yes.')
  await chat.append({ role: 'user', content: 'q' })
  const turn = await chat.turn()
  await expect(turn.finish(result as never)).rejects.toMatchObject({ code: 'invalid_argument' })
})
