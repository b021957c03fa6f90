import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ABOUT } from '../about.ts'
import type { Contestant } from '../contestant.ts'
import { CHAT_MODEL } from '../provider.ts'

interface Entry {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

const LOOK_UP = {
  type: 'function',
  function: {
    name: 'look_up',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
  },
}

/** What many bots begin with: a file that is written anew, and the last messages of it. */
export const jsonFile: Contestant = {
  ...ABOUT['json-file'],
  summaryOf: () => '',
  async open({ folder, provider }) {
    const path = join(folder, 'chat.json')
    const entries: Entry[] = await readFile(path, 'utf8').then(JSON.parse, error => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const add = async (entry: Entry) => {
      entries.push(entry)
      await writeFile(path, JSON.stringify(entries))
    }
    return {
      async say(text) {
        await add({ role: 'user', content: text })
        for (;;) {
          const response = await fetch(`${provider.url}/chat/completions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ model: CHAT_MODEL, tools: [LOOK_UP], messages: entries.slice(-20) }),
          })
          if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
          const { choices } = (await response.json()) as { choices: { message: Entry }[] }
          const { message } = choices[0]!
          await add(message)
          if (!message.tool_calls) return
          for (const { id } of message.tool_calls)
            await add({ role: 'tool', tool_call_id: id, content: 'Nothing is known of it.' })
        }
      },
      kept: async () => ({ 'the file': await readFile(path, 'utf8') }),
      async search(query, limit) {
        const texts = entries.map(({ content }) => content ?? '')
        return texts.filter(text => text.includes(query)).slice(-limit)
      },
      settled: async () => {},
      async close() {},
    }
  },
}
