import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import { expect, test } from 'vitest'
import { startModelServer } from './model-server.ts'

function modelAt(url: string) {
  return createOpenAICompatible({ name: 'test', baseURL: url, includeUsage: true })('small')
}

test('speaks the protocol as a stream, and keeps the requests', async () => {
  await using server = await startModelServer({
    reply: ({ body }, index) => ({
      text: `Answer ${index + 1} to ${body.messages!.length} messages 😀 ${'in many small pieces '.repeat(5)}`,
      usage: { input: 12, cached: 8, output: 3 },
    }),
  })
  const result = streamText({ model: modelAt(server.url), prompt: 'Hello' })
  let text = ''
  let pieces = 0
  for await (const piece of result.textStream) {
    text += piece
    pieces++
  }
  expect(text).toContain('Answer 1 to 1 messages 😀 in many small pieces')
  expect(pieces).toBeGreaterThan(3)
  expect(await result.usage).toMatchObject({ inputTokens: 12, outputTokens: 3 })
  expect((await result.usage).inputTokenDetails.cacheReadTokens).toBe(8)
  expect(await result.finishReason).toBe('stop')
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    body: { model: 'small', stream: true, messages: [{ role: 'user', content: 'Hello' }] },
  })
})

test('streams tool calls', async () => {
  await using server = await startModelServer({
    reply: { toolCalls: [{ name: 'search', arguments: '{"query":"lemons"}' }] },
  })
  const result = streamText({ model: modelAt(server.url), prompt: 'Hello', onError: () => {} })
  expect(await result.finishReason).toBe('tool-calls')
  expect(await result.toolCalls).toMatchObject([{ toolName: 'search' }])
})

test('breaks a stream off in the middle', async () => {
  await using server = await startModelServer({ reply: { text: 'word '.repeat(100), fault: 'cut_off' } })
  const result = streamText({ model: modelAt(server.url), prompt: 'Hello', maxRetries: 0, onError: () => {} })
  let text = ''
  const reading = async () => {
    for await (const piece of result.textStream) text += piece
  }
  await expect(reading()).rejects.toThrow()
  expect(text).toMatch(/^word word/)
  expect(text.length).toBeLessThan(500)
})

test('a script that throws is an error of the server, and closing ends what hangs', async () => {
  const server = await startModelServer({
    reply: () => {
      throw new Error('no such scene')
    },
  })
  const broken = await fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{}' })
  expect(broken.status).toBe(500)
  expect(await broken.text()).toContain('no such scene')
  server.setReply({ fault: 'hang' })
  const hanging = fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{}' }).catch(() => 'ended')
  while (server.requests.length < 2) await new Promise(resolve => setTimeout(resolve, 5))
  await server.close()
  expect(await hanging).toBe('ended')
})
