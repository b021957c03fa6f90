import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LAST_MESSAGES, type Message, type Opened, type Place, SUMMARY } from '../contestant.ts'

interface Conversation {
  readonly summary: string
  readonly messages: Message[]
}

export async function open({ folder }: Place): Promise<Opened> {
  const file = join(folder, 'conversation.json')
  const read = async () => JSON.parse(await readFile(file, 'utf8')) as Conversation
  const write = (conversation: Conversation) => writeFile(file, JSON.stringify(conversation))
  return {
    fill: async (messages, progress) => {
      await write({ summary: SUMMARY, messages: [...messages] })
      progress(messages.length)
    },
    append: async message => {
      const conversation = await read()
      conversation.messages.push(message)
      await write(conversation)
    },
    context: async () => {
      const { summary, messages } = await read()
      const last = messages.slice(-LAST_MESSAGES)
      return { messages: last.length, hasSummary: summary === SUMMARY, newest: last.at(-1)?.text ?? '' }
    },
    readDurability: async () => 'writeFile, no sync',
    close: async () => {},
  }
}
