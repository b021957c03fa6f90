import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { serve } from '@hono/node-server'
import { createUIMessageStreamResponse, streamText, toUIMessageStream, type UIMessage } from 'ai'
import { Hono } from 'hono'
import { createPalimpsest, sqlite } from 'palimpsest'
import { appendUIMessage, toUIMessages } from 'palimpsest/adapters/ai-sdk'

const { BASE_URL = 'http://127.0.0.1:11434/v1', API_KEY = 'none', PORT = '3000' } = process.env
const model = createOpenAICompatible({ name: 'local', baseURL: BASE_URL, apiKey: API_KEY })('qwen3')
const palimpsest = await createPalimpsest({ store: sqlite('./chat.db') })
const app = new Hono()

// The newest messages, for `useChat({ messages })`.
app.get('/api/chat/:id', async context => {
  const chat = palimpsest.session(context.req.param('id'))
  return context.json(toUIMessages(await chat.messages({ from: 'newest', limit: 100 })))
})

type Sent = { id: string; trigger: 'submit-message' | 'regenerate-message'; message: UIMessage }

// The page sends its last message only: the conversation is here.
app.post('/api/chat', async context => {
  const { id, trigger, message } = await context.req.json<Sent>()
  const chat = palimpsest.session(id)
  const sent = (await appendUIMessage(chat, message)).messages.at(-1)
  // Another reply to the same message is asked for: the first one is hidden.
  if (trigger === 'regenerate-message' && sent) await chat.rollback(sent.seq)
  // Others may write at the same time: this request answers what it has sent.
  const answered = sent ? { throughSeq: sent.seq } : {}
  const turn = await chat.turn({ instructions: 'You are a friendly assistant.', ...answered })
  const result = streamText({ model, ...turn.prompt, abortSignal: context.req.raw.signal })
  turn.finish(result).catch(console.error)
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.stream }) })
})

const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
process.once('SIGTERM', () => server.close(() => palimpsest.close()))
