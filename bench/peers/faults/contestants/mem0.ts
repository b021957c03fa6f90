import { join } from 'node:path'
import { Memory } from 'mem0ai/oss'
import { ABOUT } from '../about.ts'
import type { Contestant } from '../contestant.ts'
import { CHAT_MODEL, SUMMARY_MODEL } from '../provider.ts'

export const mem0: Contestant = {
  ...ABOUT.mem0,
  summaryOf: marks =>
    JSON.stringify({
      memory: marks.map((mark, index) => ({ id: String(index), text: `They spoke of ${mark}` })),
    }),
  async open({ folder, provider }) {
    const memory = new Memory({
      llm: { provider: 'openai', config: { apiKey: 'none', model: SUMMARY_MODEL, baseURL: provider.url } },
      embedder: {
        provider: 'openai',
        config: { apiKey: 'none', model: 'embedder', baseURL: provider.sideUrl, embeddingDims: 1536 },
      },
      vectorStore: {
        provider: 'memory',
        config: { collectionName: 'memories', dimension: 1536, dbPath: join(folder, 'vectors.db') },
      },
      historyDbPath: join(folder, 'history.db'),
    })
    const user = { user_id: 'ann' }
    return {
      async say(text) {
        const { results } = await memory.search(text, { filters: user, topK: 5 })
        const known = results.map(({ memory: fact }) => fact).join('\n')
        const response = await fetch(`${provider.url}/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model: CHAT_MODEL,
            messages: [
              { role: 'system', content: `You help. You know:\n${known}` },
              { role: 'user', content: text },
            ],
          }),
        })
        const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
        await memory.add(
          [
            { role: 'user', content: text },
            { role: 'assistant', content: choices[0]!.message.content },
          ],
          { userId: 'ann' },
        )
      },
      async store(text) {
        await memory.add(text, { userId: 'ann', infer: false })
      },
      async kept() {
        const { results } = await memory.getAll({ filters: user, topK: 1_000 })
        return { 'the memories': JSON.stringify(results) }
      },
      async search(query, limit) {
        const { results } = await memory.search(query, { filters: user, topK: limit })
        return results.map(({ memory: fact }) => fact)
      },
      settled: async () => {},
      async close() {},
    }
  },
}
