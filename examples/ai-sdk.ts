import { createInterface } from 'node:readline'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText, tool } from 'ai'
import { createPalimpsest, sqlite, tokens } from 'palimpsest'
import { z } from 'zod'

const { BASE_URL = 'http://127.0.0.1:11434/v1', API_KEY = 'none' } = process.env
const model = createOpenAICompatible({ name: 'local', baseURL: BASE_URL, apiKey: API_KEY })('qwen3')
const tools = {
  look_up_order: tool({
    description: 'Says where an order is.',
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, status: 'shipped', carrier: 'PostNL' }),
  }),
}

await using palimpsest = await createPalimpsest({
  store: sqlite('./chat.db'),
  policy: tokens({ budget: 8_000 }),
  // You are the one at this terminal: in your chat the model may share with everybody.
  memory: { owner: 'me' },
})
const chat = palimpsest.session('terminal', { user: 'me' })

for await (const line of createInterface({ input: process.stdin })) {
  await chat.append({ role: 'user', content: line })
  const turn = await chat.turn({ instructions: 'You help the customers of a shop.', tools })
  const result = streamText({ model, ...turn.prompt })
  process.stdout.write('bot: ')
  try {
    for await (const text of result.textStream) process.stdout.write(text.replaceAll('\n', ' '))
  } catch (error) {
    console.error(String(error)) // the connection broke: what came is stored below
  }
  process.stdout.write('\n')
  await turn.finish(result)
}
