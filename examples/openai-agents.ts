import { createInterface } from 'node:readline'
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { createPalimpsest, sqlite, tokens } from 'palimpsest'
import { agentsSession } from 'palimpsest/adapters/openai-agents'
import { z } from 'zod'

const { BASE_URL = 'https://api.openai.com/v1', API_KEY = 'none' } = process.env
const lookUpOrder = tool({
  name: 'look_up_order',
  description: 'Says where an order is.',
  parameters: z.object({ id: z.string() }),
  execute: async ({ id }) => ({ id, status: 'shipped', carrier: 'PostNL' }),
})

await using palimpsest = await createPalimpsest({
  store: sqlite('./chat.db'),
  policy: tokens({ budget: 8_000 }),
  // You are the one at this terminal: in your chat the model may share with everybody.
  memory: { owner: 'me' },
})
const chat = palimpsest.session('terminal', { user: 'me' })
const session = agentsSession(chat, { tools: [lookUpOrder] })
const agent = new Agent({
  name: 'Shop',
  model: 'gpt-5-mini',
  instructions: session.instructions('You help the customers of a shop.'),
  tools: [lookUpOrder, ...(await session.tools())],
})
const runner = new Runner({
  modelProvider: new OpenAIProvider({ baseURL: BASE_URL, apiKey: API_KEY }),
  callModelInputFilter: session.inputFilter,
  tracingDisabled: true,
})

for await (const line of createInterface({ input: process.stdin })) {
  const { finalOutput } = await runner.run(agent, line, { session })
  console.log(`bot: ${String(finalOutput).replaceAll('\n', ' ')}`)
}
