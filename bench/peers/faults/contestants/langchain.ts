import { join } from 'node:path'
import { HumanMessage } from '@langchain/core/messages'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { ChatOpenAI } from '@langchain/openai'
import { type AgentMiddleware, createAgent, summarizationMiddleware, tool } from 'langchain'
import { z } from 'zod'
import { ABOUT } from '../about.ts'
import type { Contestant } from '../contestant.ts'
import { CHAT_MODEL, SUMMARY_MODEL } from '../provider.ts'

const lookUp = tool(async ({ place }) => `Nothing is known of the ${place} place.`, {
  name: 'look_up',
  description: 'Looks up a place.',
  schema: z.object({ place: z.string() }),
})

// Its own types do not fit each other under `exactOptionalPropertyTypes`.
const summarization = summarizationMiddleware as unknown as (options: object) => AgentMiddleware

export const langchain: Contestant = {
  ...ABOUT.langchain,
  summaryOf: marks => `They spoke of ferries and roofs: ${marks.join(', ')}.`,
  async open({ folder, provider }) {
    const model = (name: string) =>
      // With the 6 retries that are its default, an error 500 holds the turn for about a minute first.
      new ChatOpenAI({
        model: name,
        apiKey: 'none',
        maxRetries: 1,
        configuration: { baseURL: provider.url },
      })
    const checkpointer = SqliteSaver.fromConnString(join(folder, 'langgraph.db'))
    const agent = createAgent({
      model: model(CHAT_MODEL),
      tools: [lookUp],
      systemPrompt: 'You help.',
      middleware: [
        summarization({
          model: model(SUMMARY_MODEL),
          trigger: { messages: 20 },
          keep: { messages: 10 },
        }),
      ],
      checkpointer,
    })
    const thread = { configurable: { thread_id: 'chat' } }
    return {
      async say(text) {
        await agent.invoke({ messages: [new HumanMessage(text)] }, thread)
      },
      async kept() {
        const checkpoints: string[] = []
        for await (const { checkpoint } of checkpointer.list(thread))
          checkpoints.push(JSON.stringify(checkpoint.channel_values))
        const [now = '', ...older] = checkpoints
        return { 'the state': now, 'older checkpoints': older.join('\n') }
      },
      settled: async () => {},
      async close() {
        checkpointer.db.close()
      },
    }
  },
}
