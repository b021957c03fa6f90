import { AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ModelRequest, type ModelServer, startModelServer } from '../index.ts'

/** Whoever builds on OpenAI's own client. */
let server: ModelServer
beforeEach(async () => {
  server = await startModelServer({ reply: twoLookUps })
})
afterEach(() => server.close())

function twoLookUps({ said }: ModelRequest) {
  const results = said.filter(({ role }) => role === 'tool').map(({ text }) => text)
  if (results.length > 0) return { text: `Found ${results.join(' and ')}.`, reasoning: 'That was easy.' }
  return {
    toolCalls: ['one', 'two'].map(id => ({ name: 'look_up', arguments: { id } })),
    usage: { input: 70, cached: 64, output: 9 },
  }
}

describe.each([true, false])('OpenAI Agents, useResponses: %s', useResponses => {
  const agent = new Agent({
    name: 'shop',
    model: 'gpt-5-mini',
    instructions: 'Be brief.',
    tools: [
      tool({
        name: 'look_up',
        description: 'Looks up an order.',
        parameters: z.object({ id: z.string() }),
        execute: ({ id }) => `order ${id}`,
      }),
    ],
  })
  const runner = () =>
    new Runner({
      modelProvider: new OpenAIProvider({ baseURL: server.url, apiKey: 'none', useResponses }),
      tracingDisabled: true,
    })

  function expectRequests() {
    expect(server.requests.map(({ protocol }) => protocol)).toEqual(
      Array(2).fill(useResponses ? 'responses' : 'chat'),
    )
    expect(server.requests[1]!.said).toMatchObject([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Where are my orders?' },
      { role: 'assistant', toolCalls: [{ id: 'call_1_1' }, { id: 'call_1_2' }] },
      { role: 'tool', text: 'order one', toolCallId: 'call_1_1' },
      { role: 'tool', text: 'order two', toolCallId: 'call_1_2' },
    ])
  }

  test('generates', async () => {
    const result = await runner().run(agent, 'Where are my orders?')
    expect(result.finalOutput).toBe('Found order one and order two.')
    expect(result.rawResponses[0]!.usage).toMatchObject({ inputTokens: 70, outputTokens: 9 })
    expectRequests()
  })

  test('streams', async () => {
    const result = await runner().run(agent, 'Where are my orders?', { stream: true })
    let text = ''
    for await (const piece of result.toTextStream()) text += piece
    expect(text).toBe('Found order one and order two.')
    expect(result.rawResponses[0]!.usage).toMatchObject({ inputTokens: 70, outputTokens: 9 })
    expectRequests()
  })
})

describe.each([true, false])('LangChain, useResponsesApi: %s', useResponsesApi => {
  const model = () =>
    new ChatOpenAI({
      model: 'gpt-5-mini',
      apiKey: 'none',
      configuration: { baseURL: server.url },
      useResponsesApi,
      maxRetries: 0,
    }).bindTools([
      langchainTool(({ id }: { id: string }) => id, {
        name: 'look_up',
        description: 'Looks up an order.',
        schema: z.object({ id: z.string() }),
      }),
    ])

  test('generates', async () => {
    const message = await model().invoke([new HumanMessage('Where are my orders?')])
    expect(message.tool_calls).toMatchObject([
      { id: 'call_1_1', name: 'look_up', args: { id: 'one' } },
      { id: 'call_1_2', name: 'look_up', args: { id: 'two' } },
    ])
    expect(message.usage_metadata).toMatchObject({
      input_tokens: 70,
      output_tokens: 9,
      input_token_details: { cache_read: 64 },
    })
    expect(server.requests[0]!.tools).toMatchObject([{ name: 'look_up', schema: { type: 'object' } }])
  })

  test('streams', async () => {
    let message = new AIMessageChunk('')
    for await (const chunk of await model().stream([new HumanMessage('Where are my orders?')]))
      message = message.concat(chunk)
    expect(message.tool_calls).toMatchObject([
      { id: 'call_1_1', name: 'look_up', args: { id: 'one' } },
      { id: 'call_1_2', name: 'look_up', args: { id: 'two' } },
    ])
    expect(message.usage_metadata).toMatchObject({ input_tokens: 70, output_tokens: 9 })
  })
})
