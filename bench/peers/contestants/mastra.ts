import { join } from 'node:path'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { LAST_MESSAGES, type Message, type Opened, type Place, SUMMARY } from '../contestant.ts'

const THREAD = 'bench'
const RESOURCE = 'user-4821'
const AT_ONCE = 1_000
/** It orders by time, and two messages of the same millisecond have no order. */
const FIRST = Date.now() - 1_000_000

export async function open({ folder }: Place): Promise<Opened> {
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'mastra.db')}` })
  await storage.init()
  const memory = new Memory({
    storage,
    options: { lastMessages: LAST_MESSAGES, workingMemory: { enabled: true, scope: 'thread' } },
  })
  return {
    fill: async (messages, progress) => {
      await memory.createThread({ threadId: THREAD, resourceId: RESOURCE, title: 'bench' })
      await memory.updateWorkingMemory({ threadId: THREAD, resourceId: RESOURCE, workingMemory: SUMMARY })
      for (let from = 0; from < messages.length; from += AT_ONCE) {
        const part = messages.slice(from, from + AT_ONCE)
        await memory.saveMessages({ messages: part.map(toStored) })
        progress(from + part.length)
      }
    },
    append: message => memory.saveMessages({ messages: [toStored(message)] }),
    context: async () => {
      const { messages } = await memory.recall({
        threadId: THREAD,
        perPage: LAST_MESSAGES,
        includeTotal: false,
      })
      const system = await memory.getSystemMessage({ threadId: THREAD, resourceId: RESOURCE })
      const newest = messages.at(-1)?.content.parts[0]
      return {
        messages: messages.length,
        hasSummary: system?.includes(SUMMARY.trim()) ?? false,
        newest: newest?.type === 'text' ? newest.text : '',
      }
    },
    readDurability: () => readPragmas(storage),
    close: () => storage.close(),
  }
}

function toStored({ role, text, externalId }: Message) {
  return {
    id: externalId,
    role,
    threadId: THREAD,
    resourceId: RESOURCE,
    createdAt: new Date(FIRST + Number(externalId.slice(2))),
    content: { format: 2 as const, parts: [{ type: 'text' as const, text }] },
  }
}

/** Of the connection that it writes with; there is no other way to see them. */
async function readPragmas(storage: LibSQLStore): Promise<string> {
  const client = Reflect.get(storage, 'client') as { execute(sql: string): Promise<{ rows: object[] }> }
  const [journal, synchronous] = await Promise.all(
    ['journal_mode', 'synchronous'].map(async name => {
      const { rows } = await client.execute(`PRAGMA ${name}`)
      return Object.values(rows[0]!)[0]
    }),
  )
  return `PRAGMA journal_mode = ${journal}, synchronous = ${synchronous}`
}
