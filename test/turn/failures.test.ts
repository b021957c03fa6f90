import { generateText, streamText, type Tool, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ToolResultPart } from '../../packages/palimpsest/src/log/index.ts'
import { look, looksThenSays, pages, start } from './turn-kit.ts'

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

test.each([undefined, 5, streamText, {}])('finish of what is no result is an error: %s', async result => {
  const { chat } = await start('Yes.')
  await chat.append({ role: 'user', content: 'q' })
  const turn = await chat.turn()
  await expect(turn.finish(result as never)).rejects.toMatchObject({ code: 'invalid_argument' })
})
