import { createAnthropic } from '@ai-sdk/anthropic'
import { experimental_createSteering, generateText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { looksThenSays, pages, start } from './turn-kit.ts'

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
