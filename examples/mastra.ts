import { createInterface } from 'node:readline'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { createPalimpsest, sqlite, tokens } from 'palimpsest'
import { palimpsestProcessor } from 'palimpsest/adapters/mastra'
import { z } from 'zod'

const { BASE_URL = 'http://127.0.0.1:11434/v1', API_KEY = 'none' } = process.env

await using palimpsest = await createPalimpsest({
  store: sqlite('./chat.db'),
  policy: tokens({ budget: 8_000 }),
  // You are the one at this terminal: in your chat the model may share with everybody.
  memory: { owner: 'me' },
})
const memory = palimpsestProcessor(palimpsest)

const agent = new Agent({
  id: 'assistant',
  name: 'assistant',
  instructions: 'You help the customers of a shop.',
  model: { id: 'local/qwen3', url: BASE_URL, apiKey: API_KEY },
  tools: {
    look_up_order: createTool({
      id: 'look_up_order',
      description: 'Says where an order is.',
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => ({ id, status: 'shipped', carrier: 'PostNL' }),
    }),
  },
  inputProcessors: [memory],
  outputProcessors: [memory],
  errorProcessors: [memory],
})

for await (const line of createInterface({ input: process.stdin })) {
  const reply = await agent.stream(line, { memory: { thread: 'terminal', resource: 'me' } })
  process.stdout.write('bot: ')
  for await (const text of reply.textStream) process.stdout.write(text.replaceAll('\n', ' '))
  process.stdout.write('\n')
}
