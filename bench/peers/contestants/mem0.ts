import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Embeddings } from '@langchain/core/embeddings'
import { Memory } from 'mem0ai/oss'
import { LAST_MESSAGES, type Opened, type Place } from '../contestant.ts'

/** Of the small models that run locally. */
const DIMENSIONS = 384
const USER = 'user-4821'

export async function open({ folder }: Place): Promise<Opened> {
  const memory = new Memory({
    version: 'v1.1',
    embedder: { provider: 'langchain', config: { model: new StandIn({}) } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'bench', dimension: DIMENSIONS, dbPath: join(folder, 'vectors.db') },
    },
    // It is never asked.
    llm: { provider: 'openai', config: { apiKey: 'none', model: 'none' } },
    disableHistory: true,
  })
  let newest = ''
  const store = async (messages: Parameters<typeof memory.add>[0]) => {
    await memory.add(messages, { userId: USER, infer: false })
  }
  return {
    fill: async (messages, progress) => {
      // Each message is a commit of its own; while filling, none of them waits for the disk.
      const database = databaseOf(memory)
      const before = database.pragma('synchronous', { simple: true })
      database.pragma('synchronous = OFF')
      for (const [index, { role, text }] of messages.entries()) {
        await store([{ role, content: text }])
        if (index % 100 === 99) progress(index + 1)
      }
      database.pragma(`synchronous = ${before}`)
    },
    append: ({ role, text }) => {
      newest = text
      return store([{ role, content: text }])
    },
    context: async () => {
      const { results } = await memory.search(newest || 'the hotel', {
        filters: { user_id: USER },
        topK: LAST_MESSAGES,
      })
      const found = results.find(({ memory: text }) => text === newest) ?? results[0]
      return { messages: results.length, hasSummary: false, newest: found?.memory ?? '' }
    },
    readDurability: async () => {
      const database = databaseOf(memory)
      const [journal, synchronous] = ['journal_mode', 'synchronous'].map(name =>
        database.pragma(name, { simple: true }),
      )
      return `PRAGMA journal_mode = ${journal}, synchronous = ${synchronous}`
    },
    close: async () => databaseOf(memory).close(),
  }
}

interface Database {
  pragma(name: string, options?: { simple: boolean }): unknown
  close(): void
}

/** It is private, and it has no method to close it. */
function databaseOf(memory: Memory): Database {
  return Reflect.get(Reflect.get(memory, 'vectorStore') as object, 'db') as Database
}

/** The same text has the same numbers, and what is similar is chance. */
class StandIn extends Embeddings {
  async embedQuery(text: string): Promise<number[]> {
    const digest = createHash('sha512').update(text).digest()
    return Array.from({ length: DIMENSIONS }, (_, index) => digest[index % digest.length]! / 255)
  }

  embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.all(texts.map(text => this.embedQuery(text)))
  }
}
