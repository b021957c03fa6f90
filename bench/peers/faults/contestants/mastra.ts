import { basename, join } from 'node:path'
import { Agent } from '@mastra/core/agent'
import { ModelRouterEmbeddingModel } from '@mastra/core/llm'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore, LibSQLVector } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { z } from 'zod'
import { ABOUT } from '../about.ts'
import type { Contestant } from '../contestant.ts'
import { CHAT_MODEL, SUMMARY_MODEL } from '../provider.ts'

const lookUp = createTool({
  id: 'look_up',
  description: 'Looks up a place.',
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => `Nothing is known of the ${place} place.`,
})

export const mastra: Contestant = {
  ...ABOUT.mastra,
  summaryOf: marks =>
    `<observations>\nDate: May 1, 2026\n${marks.map(mark => `* 🔴 (10:00) They spoke of ${mark}`).join('\n')}\n</observations>`,
  async open({ folder, provider, fault }) {
    // It keeps what is under way in this process by the name of the thread.
    const thread = { resource: 'ann', thread: basename(folder) }
    const model = (name: string) => ({
      id: `loopback/${name}` as const,
      url: provider.url,
      apiKey: 'none',
    })
    const url = `file:${join(folder, 'mastra.db')}`
    const storage = new LibSQLStore({ id: 'storage', url })
    const memory = new Memory(
      fault === 'chinese'
        ? {
            storage,
            vector: new LibSQLVector({ id: 'vector', url }),
            embedder: new ModelRouterEmbeddingModel({
              providerId: 'loopback',
              modelId: 'embedder',
              url: provider.sideUrl,
              apiKey: 'none',
            }),
            options: { semanticRecall: true },
          }
        : {
            storage,
            options: {
              observationalMemory: { model: model(SUMMARY_MODEL), observation: { messageTokens: 1000 } },
            },
          },
    )
    const agent = new Agent({
      id: 'agent',
      name: 'agent',
      instructions: 'You help.',
      model: model(CHAT_MODEL),
      tools: { look_up: lookUp },
      memory,
    })
    const stored = async () => {
      const { messages } = await memory.recall({
        threadId: thread.thread,
        resourceId: thread.resource,
        perPage: false,
      })
      return messages.map(({ content }) => JSON.stringify(content))
    }
    return {
      async say(text) {
        const { tripwire, error } = await agent.generate(text, { memory: thread, maxSteps: 5 })
        if (tripwire) throw new Error(tripwire.reason)
        if (error) throw error
      },
      kept: async () => ({ 'the store': (await stored()).join('\n') }),
      async search(query, limit) {
        const { messages } = await memory.recall({
          threadId: thread.thread,
          resourceId: thread.resource,
          vectorSearchString: query,
          perPage: 0,
          threadConfig: { semanticRecall: { topK: limit, messageRange: 0, scope: 'thread' } },
        })
        return messages.map(({ content }) => JSON.stringify(content))
      },
      settled: () => memory.settled(),
      async close() {},
    }
  },
}
