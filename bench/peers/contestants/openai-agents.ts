import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentInputItem, assistant, MemorySession, type Session, user } from '@openai/agents'
import { LAST_MESSAGES, type Message, type Opened, type Place } from '../contestant.ts'

export async function open({ folder }: Place, variant: string): Promise<Opened> {
  const session: Session =
    variant === 'memory' ? new MemorySession() : new FileSession(join(folder, 'session.json'))
  return {
    fill: async (messages, progress) => {
      await session.addItems(messages.map(toItem))
      progress(messages.length)
    },
    append: message => session.addItems([toItem(message)]),
    context: async () => {
      const items = await session.getItems(LAST_MESSAGES)
      return { messages: items.length, hasSummary: false, newest: textOf(items.at(-1)) }
    },
    readDurability: async () => (variant === 'memory' ? 'an array' : 'writeFile, no sync'),
    close: async () => {},
  }
}

/** What a session over one file comes to: the interface asks for the last items, a file for all of them. */
class FileSession implements Session {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  async getSessionId(): Promise<string> {
    return 'bench'
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = await this.#read()
    return limit === undefined ? items : items.slice(-limit)
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.#write([...(await this.#read()), ...items])
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const items = await this.#read()
    const last = items.pop()
    await this.#write(items)
    return last
  }

  clearSession(): Promise<void> {
    return this.#write([])
  }

  async #read(): Promise<AgentInputItem[]> {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8')) as AgentInputItem[]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  #write(items: readonly AgentInputItem[]): Promise<void> {
    return writeFile(this.#file, JSON.stringify(items))
  }
}

function toItem({ role, text }: Message): AgentInputItem {
  return role === 'user' ? user(text) : assistant(text)
}

function textOf(item: AgentInputItem | undefined): string {
  if (item === undefined || !('content' in item)) return ''
  const { content } = item
  if (typeof content === 'string') return content
  const [part] = content as { text?: string }[]
  return part?.text ?? ''
}
