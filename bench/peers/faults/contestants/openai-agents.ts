import { join } from 'node:path'
import {
  Agent,
  type AgentInputItem,
  OpenAIProvider,
  OpenAIResponsesCompactionSession,
  Runner,
  type Session,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { z } from 'zod'
import { ABOUT } from '../about.ts'
import type { Contestant } from '../contestant.ts'
import { CHAT_MODEL, SUMMARY_MODEL } from '../provider.ts'
import { sqliteItems } from './sqlite-items.ts'

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up a place.',
  parameters: z.object({ place: z.string() }),
  execute: async ({ place }) => `Nothing is known of the ${place} place.`,
})

export const openaiAgents: Contestant = {
  ...ABOUT['openai-agents'],
  summaryOf: marks => `Opaque: ${marks.join(', ')}.`,
  async open({ folder, provider }) {
    setTracingDisabled(true)
    // Read by the client that the session makes for itself.
    process.env['OPENAI_BASE_URL'] = provider.sideUrl
    process.env['OPENAI_API_KEY'] = 'none'
    const items = sqliteItems<AgentInputItem>(join(folder, 'session.db'))
    const underlying: Session = {
      getSessionId: async () => 'chat',
      getItems: async limit => items.read(limit),
      addItems: async added => items.add(added),
      popItem: async () => items.pop(),
      clearSession: async () => items.clear(),
    }
    const session = new OpenAIResponsesCompactionSession({
      model: SUMMARY_MODEL,
      underlyingSession: underlying,
    })
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ baseURL: provider.url, apiKey: 'none', useResponses: true }),
      tracingDisabled: true,
    })
    const agent = new Agent({
      name: 'agent',
      instructions: 'You help.',
      model: CHAT_MODEL,
      modelSettings: { store: false },
      tools: [lookUp],
    })
    return {
      async say(text) {
        await runner.run(agent, text, { session })
      },
      kept: async () => ({ 'the session': JSON.stringify(await session.getItems()) }),
      settled: async () => {},
      async close() {
        items.close()
      },
    }
  },
}
