import { createInterface } from 'node:readline'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { createPalimpsest, sqlite, tokens } from 'palimpsest'
import { palimpsestMiddleware } from 'palimpsest/adapters/langchain'
import { z } from 'zod'

const { BASE_URL = 'http://127.0.0.1:11434/v1', API_KEY = 'none' } = process.env
const lookUpOrder = tool(async ({ id }) => ({ id, status: 'shipped', carrier: 'PostNL' }), {
  name: 'look_up_order',
  description: 'Says where an order is.',
  schema: z.object({ id: z.string() }),
})

await using palimpsest = await createPalimpsest({
  store: sqlite('./chat.db'),
  policy: tokens({ budget: 8_000 }),
  // You are the one at this terminal: in your chat the model may share with everybody.
  memory: { owner: 'me' },
})
const agent = createAgent({
  model: new ChatOpenAI({ model: 'qwen3', apiKey: API_KEY, configuration: { baseURL: BASE_URL } }),
  systemPrompt: 'You help the customers of a shop.',
  tools: [lookUpOrder],
  middleware: [palimpsestMiddleware(palimpsest, { sessionOptions: { user: 'me' } })],
})

for await (const line of createInterface({ input: process.stdin })) {
  const question = { messages: [{ role: 'user' as const, content: line }] }
  const { messages } = await agent.invoke(question, { configurable: { thread_id: 'terminal' } })
  console.log(`bot: ${messages.at(-1)?.text.replaceAll('\n', ' ')}`)
}
