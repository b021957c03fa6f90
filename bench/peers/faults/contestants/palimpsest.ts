import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, tool } from 'ai'
import { count, createPalimpsest, modelSummarizer, sqlite } from 'palimpsest'
import { z } from 'zod'
import { ABOUT } from '../about.ts'
import type { Contestant } from '../contestant.ts'
import { CHAT_MODEL, SUMMARY_MODEL } from '../provider.ts'

const tools = {
  look_up: tool({
    description: 'Looks up a place.',
    inputSchema: z.object({ place: z.string() }),
    execute: async ({ place }) => `Nothing is known of the ${place} place.`,
  }),
}

export const palimpsest: Contestant = {
  ...ABOUT.palimpsest,
  summaryOf: marks => JSON.stringify({ summary: `They spoke of ferries and roofs: ${marks.join(', ')}.` }),
  async open({ folder, provider }) {
    const models = createOpenAICompatible({ name: 'loopback', baseURL: provider.url })
    const instance = await createPalimpsest({
      store: sqlite(join(folder, 'palimpsest.db')),
      summarizer: modelSummarizer(models(SUMMARY_MODEL)),
      policy: count({ threshold: 20, keepLast: 10 }),
      memory: { extract: 'off' },
    })
    const chat = instance.session('chat', { user: 'ann' })
    const texts = async () => {
      const all: string[] = []
      let after = 0
      for (;;) {
        const page = await chat.messages({ after, limit: 100 })
        all.push(...page.map(({ content }) => JSON.stringify(content)))
        const last = page.at(-1)
        if (!last) return all.join('\n')
        after = last.seq
      }
    }
    return {
      async say(text) {
        await chat.append({ role: 'user', content: text })
        const turn = await chat.turn({ instructions: 'You help.', tools, memoryTools: false })
        try {
          await turn.finish(await generateText({ model: models(CHAT_MODEL), maxRetries: 0, ...turn.prompt }))
        } catch (error) {
          await turn.fail(error)
          throw error
        }
      },
      kept: async () => ({ log: await texts() }),
      async search(query, limit) {
        const { results } = await chat.search(query, { limit })
        return results.map(({ excerpt }) => excerpt)
      },
      async settled() {
        await instance.settled({ timeoutMs: 5_000 })
      },
      close: () => instance.close(),
    }
  },
}
